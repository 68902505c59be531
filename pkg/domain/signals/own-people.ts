import { isFreeMailDomain } from '../free-mail.ts';
import { profileAddress } from '../person-identity.ts';

/** By what the people of a workspace are known, lower case. */
export interface OwnIdentity {
  kind: 'profile' | 'mail';
  value: string;
}

/**
 * Tells the people of a workspace from others: owners of its accounts, its members, and who has an address at a domain of a member that
 * is no free mail provider's. What they do is no signal: an agent would feed on what its own side causes.
 */
export class OwnPeople {
  readonly #profiles: ReadonlySet<string>;
  readonly #mails: ReadonlySet<string>;
  readonly #domains: ReadonlySet<string>;

  constructor(identities: readonly OwnIdentity[]) {
    const of = (kind: OwnIdentity['kind']): string[] =>
      identities.filter((one) => one.kind === kind).map((one) => one.value);
    this.#profiles = new Set(of('profile').map(addressOf));
    this.#mails = new Set(of('mail'));
    this.#domains = new Set([...this.#mails].map(domainOf).filter((domain) => !isFreeMailDomain(domain)));
  }

  /** Whether it is one of them. */
  has({ profileUrl, email }: { profileUrl: string; email: string | null }): boolean {
    if (profileUrl !== '' && this.#profiles.has(addressOf(profileUrl))) return true;
    const mail = email?.toLowerCase() ?? '';
    return mail !== '' && (this.#mails.has(mail) || this.#domains.has(domainOf(mail)));
  }
}

function addressOf(profile: string): string {
  return (profileAddress(profile) ?? profile).toLowerCase();
}

function domainOf(mail: string): string {
  return mail.slice(mail.lastIndexOf('@') + 1);
}
