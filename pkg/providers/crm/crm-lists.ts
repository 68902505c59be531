import type { OptOutColumn } from '../../domain/opt-out-column.ts';
import type { CrmAccess } from './crm-provider.ts';

/** A list, segment or campaign of people at a CRM. */
export interface CrmList {
  id: string;
  name: string;
  /** The CRM's word for it. */
  kind: string;
  /** People in it, where the CRM tells. */
  size: number | null;
}

/** A person as a CRM shows them. */
export interface CrmPerson {
  id: string;
  /** Ids under which the CRM knew them before it merged them into this one. */
  aliases: readonly string[];
  /** By the CRM's own names; what is empty is left out. */
  properties: Readonly<Record<string, string>>;
  /** The CRM says that they must not be contacted. */
  excluded: boolean;
  /** When the CRM changed them last, epoch ms; null: it does not tell. */
  changedAt: number | null;
}

export interface CrmPage {
  people: CrmPerson[];
  /** Where the next page begins; null: this was the last one. */
  cursor: string | null;
}

/** What of a list is read. `properties`: by the CRM's own names, besides those that the adapter needs. */
export interface CrmReading {
  cursor: string | null;
  properties: readonly string[];
  signal: AbortSignal;
}

/** The people of a CRM. All of it is asked again without harm, and a page holds at most 100 people. */
export interface CrmLists {
  /** Property -> field of a lead, where nobody maps it otherwise. */
  readonly fields: Readonly<Record<string, string>>;
  /** Properties that say who must not be contacted, and how they do: always read, whatever else a mapping makes of them. */
  readonly optOuts: Readonly<Record<string, OptOutColumn>>;
  /** Properties that tell who works on the person there, and how far they are. */
  readonly owner: string;
  readonly stage: string;
  /** @throws CallError */
  list(
    access: CrmAccess,
    query: { query: string; limit: number; cursor: string | null; signal: AbortSignal },
  ): Promise<{ lists: CrmList[]; cursor: string | null }>;
  /** @returns null for a list that is not there. @throws CallError */
  find(access: CrmAccess, listId: string, signal: AbortSignal): Promise<CrmList | null>;
  /**
   * The next people of a list, in an order that stands still while the list changes: nobody who stays in it is passed over.
   * @throws CallError `refused` when the list is gone
   */
  page(access: CrmAccess, listId: string, reading: CrmReading): Promise<CrmPage>;
  /** Of these people (100 at most) those who are there. @throws CallError */
  read(access: CrmAccess, ids: readonly string[], reading: Omit<CrmReading, 'cursor'>): Promise<CrmPerson[]>;
  /** Writes properties of a person. @throws CallError */
  update(
    access: CrmAccess,
    id: string,
    properties: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Tells the CRM that the person must not be contacted; it is never told the opposite. @throws CallError */
  exclude(access: CrmAccess, person: CrmPerson, signal: AbortSignal): Promise<void>;
}

/** Most people of a page. */
export const PAGE_PEOPLE = 100;
