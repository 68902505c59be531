import { Refusal } from './http.ts';
import type { World } from './world.ts';

/** Leaves the account this many InMails to profiles that are not open. */
export function setInMailCredits(world: World, accountId: string, credits: number): void {
  world.store.run('insert or replace into inmail_credit (account_id, credits) values (?, ?)', accountId, credits);
}

/** Takes one credit unless the profile is open or nobody counts. @throws Refusal when none is left */
export function spendInMailCredit(world: World, accountId: string, publicId: string): void {
  if (world.behaviour(publicId).openProfile) return;
  const left = world.store.one<{ credits: number }>(
    'select credits from inmail_credit where account_id = ?',
    accountId,
  )?.credits;
  if (left === undefined) return;
  if (left === 0) throw new Refusal(422, 'insufficient_credits', 'the account has no InMail credit left');
  world.store.run('update inmail_credit set credits = credits - 1 where account_id = ?', accountId);
}
