import type { OutsideContact } from '../../domain/outside-contact.ts';

export interface OutreachAccess {
  url: string;
  token: string;
  /** Where the address may lead. */
  reach: 'public' | 'any';
}

export interface OutreachOptions {
  signal: AbortSignal;
  deadlineMonotonicMs?: number | undefined;
}

/** Port of another outreach platform. */
export interface OutreachProvider {
  /** Its public address. */
  readonly url: string;
  /** What is written shows in its lists after this long at the latest, real ms. */
  readonly settleAfterMs: number;
  /** Whether the credentials open it. @throws CallError */
  check(access: OutreachAccess, signal: AbortSignal): Promise<void>;
  /** Adds a person with a mail address to a campaign; `duplicate`: was in it before. @throws CallError */
  add(
    access: OutreachAccess,
    campaignId: string,
    contact: OutsideContact,
    options: OutreachOptions,
  ): Promise<{ id: string; duplicate: boolean }>;
  /** Id of the person in the campaign, or null. @throws CallError */
  find(
    access: OutreachAccess,
    campaignId: string,
    contact: OutsideContact,
    options: OutreachOptions,
  ): Promise<string | null>;
}
