/** What writers leave for somebody to fill: {{first_name}}, {name}, [First Name], <company>. */
const GAP = /\{\{|\}\}|\{[^{}\n]{1,60}\}|\[[^[\]\n]{1,60}\]|<[A-Za-z][^<>\n]{0,60}>/g;

/** The first gap of a written text, which nobody fills before a person reads it; null: none. What a fact spells so is no gap. */
export function gapIn(text: string, facts: readonly { text: string }[]): string | null {
  const spelled = (gap: string): boolean => facts.some((fact) => fact.text.includes(gap));
  return (text.match(GAP) ?? []).find((gap) => !spelled(gap)) ?? null;
}
