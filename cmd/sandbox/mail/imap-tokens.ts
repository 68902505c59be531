/** The words of a command: atoms, quoted strings and literals without their marks; a list in parentheses is one word. */
export function tokens(command: string): string[] {
  const found: string[] = [];
  let at = 0;
  while (at < command.length) {
    if (command[at] === ' ') {
      at++;
      continue;
    }
    const [word, next] = readWord(command, at);
    found.push(word);
    at = next;
  }
  return found;
}

function readWord(command: string, at: number): [word: string, next: number] {
  if (command[at] === '"') return readQuoted(command, at);
  const literal = /^\{(\d+)\+?\}\r\n/.exec(command.slice(at, at + 24));
  if (literal) {
    const from = at + literal[0].length;
    return [command.slice(from, from + Number(literal[1])), from + Number(literal[1])];
  }
  if (command[at] === '(') {
    const end = closing(command, at);
    return [command.slice(at, end), end];
  }
  const rest = command.slice(at);
  // Brackets keep their blanks: BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)].
  const atom = /^(?:\[[^\]]*\]|[^\s])+/.exec(rest)?.[0] ?? rest;
  return [atom, at + atom.length];
}

function readQuoted(command: string, at: number): [word: string, next: number] {
  let word = '';
  let next = at + 1;
  for (; next < command.length && command[next] !== '"'; next++) {
    if (command[next] === '\\') next++;
    word += command[next] ?? '';
  }
  return [word, next + 1];
}

function closing(command: string, at: number): number {
  let depth = 0;
  for (let index = at; index < command.length; index++) {
    if (command[index] === '(') depth++;
    if (command[index] === ')' && --depth === 0) return index + 1;
  }
  return command.length;
}
