// Names where there is little room for them.

const BREAK = /[\s_.-]+/;

// The beginning and the end of a text, which tell more than its middle.
export function shortened(text, most) {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}

// Short names of things that stand side by side: words with which all of them begin or end go
// first, then the middle of what is still too long.
export function distinct(names, most) {
  if (names.every((name) => name.length <= most)) return names;
  let words = names.map((name) => name.split(BREAK));
  const alike = (end) => words.every((list) => list.length > 1 && list.at(end) === words[0].at(end));
  let front = 0, back = 0;
  if (names.length > 1) {
    for (; alike(0); front++) words = words.map((list) => list.slice(1));
    for (; alike(-1); back++) words = words.map((list) => list.slice(0, -1));
  }
  return names.map((name) => (name.length <= most ? name : shortened(between(name, front, back), most)));
}

// A name without this many words at its beginning and its end.
function between(name, front, back) {
  for (; front; front--) name = name.replace(/^.*?[\s_.-]+/, "");
  for (; back; back--) name = name.replace(/[\s_.-]+[^\s_.-]*$/, "");
  return name;
}
