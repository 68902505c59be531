import type { OutsideContact } from '../../domain/outside-contact.ts';
import type { CrmLists } from './crm-lists.ts';

export type CrmObject = 'contact' | 'lead' | 'deal' | 'task';

/** What is pushed; `mark` is a short text of ours by which the object is found again. */
export interface CrmPush {
  object: CrmObject;
  contact: OutsideContact;
  /** Fields of the CRM by their own names. */
  fields: Readonly<Record<string, string>>;
  mark: string;
  /** Epoch ms product time, for objects that need a date. */
  at: number;
}

export interface CrmAccess {
  url: string;
  token: string;
  /** The token is one of OAuth; absent: one that a person copied. */
  oauth?: boolean;
  /** Where the address may lead. */
  reach: 'public' | 'any';
}

export interface CrmOptions {
  signal: AbortSignal;
  /** The writing request is handed to the socket before, or not at all (monotonic ms). */
  deadlineMonotonicMs?: number | undefined;
}

/** Port of a CRM. */
export interface CrmProvider {
  /** Its public address. */
  readonly url: string;
  /** What is written shows in its search after this long at the latest, real ms. */
  readonly settleAfterMs: number;
  /** Its lists of people. */
  readonly lists: CrmLists;
  /** What `push` writes into a contact: property -> value; empty for other objects. */
  written(push: CrmPush): Record<string, string>;
  /** Whether the credentials open it. @throws CallError */
  check(access: CrmAccess, signal: AbortSignal): Promise<void>;
  /** Creates the object, or updates the one that is there. Returns its id. @throws CallError */
  push(access: CrmAccess, push: CrmPush, options: CrmOptions): Promise<string>;
  /** Id of the object when it is there and has what was to be written. @throws CallError, also when nothing tells it from others */
  find(access: CrmAccess, push: CrmPush, options: CrmOptions): Promise<string | null>;
}
