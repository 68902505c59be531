/** Where in a cell a letter stands: before it, in one without quotes, inside of quotes, or behind the quote that may have ended it. */
export type CellState = 'start' | 'bare' | 'quoted' | 'closed';

/** The state behind a letter, as the parser has it: a quote inside a cell that is not quoted opens nothing, a doubled one ends nothing. */
export function afterLetter(state: CellState, letter: string, delimiter: string): CellState {
  if (state === 'quoted') return letter === '"' ? 'closed' : 'quoted';
  if (letter === delimiter) return 'start';
  if (letter === '"') return state === 'bare' ? 'bare' : 'quoted';
  if (letter === ' ' || letter === '\t' || letter === '\f') return state;
  return 'bare';
}

/**
 * The line, from 1, of the quote for which an end is missing. Where its cell took in lines until a later quote, behind which text goes
 * on, that is the one and not what is left open at the end. @param text with `\n` as line ends
 */
export function openQuoteLine(text: string, delimiter: string): number {
  let state = 'start' as CellState;
  let line = 1;
  let openedOn = 1;
  for (const letter of text) {
    const before: CellState = state;
    state = letter === '\n' && before !== 'quoted' ? 'start' : afterLetter(before, letter, delimiter);
    if (before === 'closed' && state === 'bare' && line > openedOn) return openedOn;
    if (before === 'start' && state === 'quoted') openedOn = line;
    if (letter === '\n') line++;
  }
  return openedOn;
}
