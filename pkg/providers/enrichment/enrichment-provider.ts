import type { EnrichField } from '../../domain/enrich-fields.ts';
import type { OutsideContact } from '../../domain/outside-contact.ts';

/** What was found of a person; absent: not found. */
export interface Enrichment {
  profile?: { title?: string; headline?: string; industry?: string; location?: string; country?: string };
  email?: string;
  /** Catalog `Lead.emailStatus`; present when a verification gave an answer. */
  emailStatus?: 'valid' | 'risky' | 'invalid' | 'catch_all';
  phone?: string;
}

/** Port of whoever knows more about a person. */
export interface EnrichmentProvider {
  /** Stored as the source of what it found. */
  readonly name: string;
  /** What it can be asked for. */
  readonly fields: readonly EnrichField[];
  /** @param key the same for every try of one question @throws CallError */
  find(
    contact: OutsideContact,
    fields: readonly EnrichField[],
    options: { signal: AbortSignal; key: string },
  ): Promise<Enrichment>;
}
