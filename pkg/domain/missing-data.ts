const BEFORE = 'nothing was sent, ';
const BEHIND = ' is not known of the lead';
/** Characters of what was missing that a reason keeps. */
const MOST = 200;

/**
 * Why a run ended that had no way on without what nobody knew of the lead.
 * @param where the step and its outcome, in words
 * @param missing placeholders, separated by `, `
 */
export function missingDataEnd(where: string, missing: string): string {
  return `${where}: ${BEFORE}${missing.slice(0, MOST)}${BEHIND}`;
}

/** The placeholders that a run lacked, as its reason names them; null: it ended for another reason. */
export function missingOf(endReason: string | null): string[] | null {
  const at = endReason?.lastIndexOf(BEFORE) ?? -1;
  if (!endReason?.endsWith(BEHIND) || at < 0) return null;
  return endReason.slice(at + BEFORE.length, -BEHIND.length).split(', ');
}
