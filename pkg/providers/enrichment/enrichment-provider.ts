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

export interface EnrichmentOptions {
  signal: AbortSignal;
  /** The same for every try of one question. */
  key: string;
  /** It is the last try: nobody asks again for what does not answer now. */
  last: boolean;
}

/** Port of the one who knows more about a person. */
export interface EnrichmentProvider {
  /** Stored as the source of what it found. */
  readonly name: string;
  /** What it can be asked for. */
  readonly fields: readonly EnrichField[];
  /** @throws CallError */
  find(contact: OutsideContact, fields: readonly EnrichField[], options: EnrichmentOptions): Promise<Enrichment>;
}
