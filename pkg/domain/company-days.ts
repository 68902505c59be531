import { instantOf, localTime } from './local-time.ts';

/** Whose company's limit binds a run. */
export interface CompanyLimit {
  company: string;
  personId: string;
  /** People of the company who may be contacted on one date, at least 1. */
  most: number;
}

/** A person who is contacted, or to whom a moment is promised; `at` epoch ms product time. */
export interface CompanyContact {
  company: string;
  personId: string;
  at: number;
}

/**
 * People of companies by local date of the workspace: contacted, and promised. Who was contacted on a date counts once on it.
 * Source: catalog contactPolicy.maxLeadsPerCompanyPerDay.
 */
export class CompanyDays {
  readonly #timezone: string;
  readonly #people = new Map<string, Set<string>>();

  constructor(timezone: string, contacts: readonly CompanyContact[]) {
    this.#timezone = timezone;
    for (const contact of contacts) this.add(contact);
  }

  add({ company, personId, at }: CompanyContact): void {
    const key = this.#key(company, at);
    this.#people.set(key, (this.#people.get(key) ?? new Set()).add(personId));
  }

  /** The instant itself when the company has room on its date, else the first of a date that has. */
  nextRoom({ company, personId, most }: CompanyLimit, from: number): number {
    let at = from;
    for (;;) {
      const people = this.#people.get(this.#key(company, at));
      if (!people || people.size < most || people.has(personId)) return at;
      at = instantOf(localTime(at, this.#timezone).dayNumber + 1, 0, this.#timezone);
    }
  }

  #key(company: string, at: number): string {
    return `${localTime(at, this.#timezone).dayNumber}/${company}`;
  }
}
