"""Files that the page sends: clips for the shelf, or a project to open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import Request, Response, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect

from motionweave.studio.document.document import unique_name
from motionweave.studio.files import upload
from motionweave.studio.files.project import SUFFIX, load_project
from motionweave.studio.work.jobs import in_thread
from motionweave.studio.workspace import Workspace


async def take_in(workspace: Workspace, request: Request) -> Response:
    """Take files in; those that cannot be read are put on the shelf with the reason."""
    session = workspace.session
    try:
        form = await request.form(max_files=upload.MOST_FILES, max_fields=4)
    except MultiPartException as error:
        return Response(f"The upload could not be understood: {error.message}", status_code=400)
    except ClientDisconnect:
        # Nobody is there to be answered; 499 is what servers note for it.
        return Response(status_code=499)
    except HTTPException as error:
        return Response(f"The upload could not be understood: {error.detail}", status_code=400)
    files = [part for part in form.getlist("files") if not isinstance(part, str)]
    if not files:
        return Response("There is no file in the upload.", status_code=400)
    if len(session.document.clips) + len(files) > upload.MOST_CLIPS:
        return Response(
            f"The shelf holds {upload.MOST_CLIPS} clips; remove some first.", status_code=409
        )
    projects = [f for f in files if upload.safe_suffix(f.filename or "") == SUFFIX]
    if projects:
        opened = await in_thread(lambda: load_project(projects[0].file, session.kinds))
        if opened.value is None:
            return Response(opened.error, status_code=400)
        title = upload.stem_of(projects[0].filename or "")
        await projects[0].seek(0)
        workspace.recent.add(title, data=await projects[0].read())
        session.open(replace(opened.value, title=title), "opening a project")
        return Response("opened")
    inbox = upload.Inbox()
    try:
        received = [await _stored(inbox, file) for file in files]
        outcome = await in_thread(lambda: upload.add_files(session.document, received))
    finally:
        inbox.close()
    if outcome.value is None:
        return Response(outcome.error, status_code=400)
    # What else happened in the meantime must not be lost: only the clips are taken over.
    document = session.document
    for clip in outcome.value[1]:
        fresh = replace(clip, id=document.new_id(), name=unique_name(document, clip.name))
        document = document.with_clip(fresh if document.clip(clip.id) else clip)
    count = len(outcome.value[1])
    # Many files come in several requests, and are one step to undo.
    batch = request.query_params.get("batch")
    label = outcome.value[1][0].name if count == 1 and batch is None else "files"
    last = "last" in request.query_params
    merge = None if batch is None else f"upload {batch[:40]}"
    session.change(document, label, merge=merge, final=last)
    return Response("added")


async def _stored(inbox: upload.Inbox, file: UploadFile | Any) -> upload.Received:
    name = file.filename or "unnamed"
    path = inbox.path_for(name)
    with path.open("wb") as target:
        while chunk := await file.read(1 << 20):
            target.write(chunk)
    return upload.Received(name, path)
