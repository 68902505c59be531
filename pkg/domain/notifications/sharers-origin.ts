/** What the owner of a shared account may do that the others hear of. */
export type SharedNews = 'account-settings' | 'account-paused' | 'account-resumed';

/** An hour's changes of an account are told its sharers once (ms). */
const TOLD_EVERY_MS = 3_600_000;

/** The origin of a notification to who shares an account: the same origin tells a member once. @param at epoch ms, product time */
export function sharersOrigin(news: SharedNews, accountId: string, at: number): string {
  return `${news}/${accountId}/${Math.floor(at / TOLD_EVERY_MS)}`;
}
