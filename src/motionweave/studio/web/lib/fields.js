// A field that shows a value (v-shown), but never instead of what is being typed into it.
export const shown = {
  mounted(field, { value }) {
    field.value = field.shown = value;
    field.addEventListener("blur", () => { field.value = field.shown; });
  },
  updated(field, { value }) {
    field.shown = value;
    if (field !== document.activeElement) field.value = value;
  },
};
