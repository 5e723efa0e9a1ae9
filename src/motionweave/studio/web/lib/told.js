// A component that Python tells what to show (`tell`). For properties the whole page would be
// rendered anew, which is felt at every step of a drag.

// Whatever is told is replaced as a whole and never changed: Vue need not look into it.
const sealed = (news) => Object.fromEntries(Object.entries(news).map(([name, value]) => [name, value && typeof value === "object" ? Object.freeze(value) : value]));

export const told = {
  // What there is to show at first, and after the page was connected anew.
  props: { given: Object },
  data() { return sealed(this.given); },
  watch: { given(news) { this.tell(news); } },
  methods: { tell(news) { Object.assign(this, sealed(news)); } },
};
