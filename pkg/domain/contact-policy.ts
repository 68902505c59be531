import type { DedupeScope } from './vocabulary.ts';

/** Who may be contacted, and how often: the contact policy of a campaign. */
export interface ContactPolicy {
  /** Within what a person is contacted by one run at a time. */
  dedupeScope: DedupeScope;
  /** Days between two contacts of a person; 0: no limit. */
  minDaysBetweenTouches: number;
  /** People of one company per day; 0: no limit. */
  maxLeadsPerCompanyPerDay: number;
  /** A reply ends the sequence of that person. */
  stopOnReply: boolean;
  /** A reply ends the sequences of the whole company. */
  stopCompanyOnReply: boolean;
  /** Days before a contacted person may be enrolled again. */
  recontactAfterDays: number;
}

/**
 * What holds where a campaign says nothing. `make generate` writes the SQL functions that read a policy from these
 * (app.policy_days, app.policy_flag, app.dedupe_scope). Source: catalog parameter `contactPolicy`.
 */
export const CONTACT_POLICY: Readonly<ContactPolicy> = {
  dedupeScope: 'workspace',
  minDaysBetweenTouches: 2,
  maxLeadsPerCompanyPerDay: 3,
  stopOnReply: true,
  stopCompanyOnReply: false,
  recontactAfterDays: 90,
};
