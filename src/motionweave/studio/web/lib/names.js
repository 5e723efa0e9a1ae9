// Names where there is little room for them.

// A name as words and what is between them.
const PARTS = /[^\s_.-]+|[\s_.-]+/g;
// Letters that are left of a name at least.
const LEAST = 3;
const isWord = (part) => !/^[\s_.-]/.test(part);

// The beginning and the end of a text, which tell more than its middle.
export function shortened(text, most) {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}

// Short names of things that stand side by side: words with which a name begins or ends like
// another of them go first, then the middle of what is still too long.
export function distinct(names, most) {
  if (names.every((name) => name.length <= most)) return names;
  const own = names.map((name) => telling(name, names));
  const short = new Set(own).size === new Set(names).size ? own : names;
  return names.map((name, i) => (name.length <= most ? name : shortened(short[i], most)));
}

// The part of a name by which it differs from others: at least one word of it.
function telling(name, names) {
  const words = (text) => text.match(PARTS)?.filter(isWord) ?? [];
  const mine = words(name), others = names.filter((other) => other !== name).map(words);
  // How many words it has in common with any other, from one end.
  const alike = (at) => Math.max(0, ...others.map((list) => {
    const first = mine.findIndex((_, i) => at(mine, i) !== at(list, i));
    return first < 0 ? mine.length : first;
  }));
  if (!mine.length) return name;
  let front = Math.min(alike((list, i) => list[i]), mine.length - 1);
  const back = Math.min(alike((list, i) => list.at(-1 - i)), mine.length - 1 - front);
  // A number alone says little.
  while (front && mine.slice(front, mine.length - back).join("").length < LEAST) front -= 1;
  const parts = name.match(PARTS), places = [...parts.keys()].filter((i) => isWord(parts[i]));
  return parts.slice(places[front], places.at(-1 - back) + 1).join("");
}
