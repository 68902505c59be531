import { MOST_BRANCH } from './picture.ts';

/** What nobody sees or what turns its neighbours around: controls, formatting and direction marks, tags, and what XML does not take. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\u2028\u2029]+/gu;

/** Signs of a line of a node, which fit its width in any usual letter. */
export const LETTERS = 25;

/** A text of somebody else as a picture may show it: on one line, with nothing unseen in it. */
export function shownText(text: string): string {
  return text.replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim();
}

/** Cut to so many signs; what is longer ends in an ellipsis. */
export function cutTo(text: string, most: number): string {
  const signs = [...text];
  return signs.length <= most ? text : `${signs.slice(0, most - 1).join('')}…`;
}

/** A text in two lines of so many signs at most, broken between words where there are some. */
function twoLines(text: string, most: number): string[] {
  const signs = [...text];
  if (signs.length <= most) return [text];
  const space = signs.lastIndexOf(' ', most);
  const at = space > most / 3 ? space : most;
  const rest = signs.slice(at).join('').trim();
  return [signs.slice(0, at).join(''), cutTo(rest, most)];
}

/** What a node is called, in the lines that it has room for. */
export function labelLines({ nodeId, label }: { nodeId: string; label: string }): string[] {
  return twoLines(shownText(label) || shownText(nodeId), LETTERS);
}

/** What stands at an edge. */
export function branchText(branch: string | null): string {
  return cutTo(shownText(branch ?? ''), MOST_BRANCH);
}
