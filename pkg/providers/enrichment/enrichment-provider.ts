import type { EnrichField } from '../../domain/enrichment/enrich-fields.ts';
import type { AnsweredSubject } from '../../domain/enrichment/same-subject.ts';
import type { OutsideContact } from '../../domain/outside-contact.ts';

/** Catalog `Lead.emailStatus` without `unknown`. */
export type MailStatus = 'valid' | 'risky' | 'invalid' | 'catch_all';

/** What was found of a person; absent: not found. */
export interface Enrichment {
  profile?: {
    title?: string;
    headline?: string;
    seniority?: string;
    industry?: string;
    location?: string;
    country?: string;
  };
  email?: string;
  /** Present when a verification gave an answer. */
  emailStatus?: MailStatus;
  phone?: string;
  /** Whom the answer is about, where the provider says it. */
  who?: AnsweredSubject;
  /** 0 to 1. */
  confidence?: number;
  /** It takes its time: under what it has the question, and when to ask for the answer (ms). */
  pending?: { ref: string; askAfterMs: number };
}

/** What was found of a company; absent: not known. */
export interface CompanyEnrichment {
  website?: string;
  industry?: string;
  /** A range, such as `51-200`. */
  companySize?: string;
  headcount?: number;
  /** Percent in a year. */
  headcountGrowthPct?: number;
  location?: string;
  fundingStage?: string;
  /** Epoch ms. */
  lastFundingAt?: number;
  technologies?: string[];
  profileUrl?: string;
}

/** A company as providers are asked for it. */
export interface AskedCompany {
  name: string;
  domain: string;
}

export interface EnrichmentOptions {
  signal: AbortSignal;
  /** It is the last try: nobody asks again for what does not answer now. */
  last: boolean;
  /** Under what the provider has the question already. */
  ref?: string | undefined;
}

/** Port of the one who knows more about a person. */
export interface EnrichmentProvider {
  /** Stored as the source of what it found. */
  readonly name: string;
  /** What it can be asked for. */
  readonly fields: readonly EnrichField[];
  /** @throws CallError */
  find(contact: OutsideContact, fields: readonly EnrichField[], options: EnrichmentOptions): Promise<Enrichment>;
  /** Absent: it knows no companies. Null: not found. @throws CallError */
  findCompany?(
    company: AskedCompany,
    options: EnrichmentOptions,
  ): Promise<{ found: CompanyEnrichment; who: AnsweredSubject; confidence?: number } | null>;
}
