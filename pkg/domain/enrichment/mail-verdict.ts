import { isRoleMail, mailIdentity } from '../mail-identity.ts';
import { normalMail } from '../person-identity.ts';

/** Whether the domain takes mail; unknown: nobody answered, which proves nothing. */
export type DomainAnswer = 'takes_mail' | 'takes_none' | 'unknown';

/** Why mail to an address is of no use for reaching a person. */
export type BadMail = 'syntax' | 'domain' | 'disposable' | 'role';

export interface MailChecks {
  domain(domain: string): Promise<DomainAnswer>;
  isDisposable(domain: string): Promise<boolean>;
}

/**
 * What we know of an address without asking anybody who is paid, in this order: its form, whether its domain takes mail (MX, RFC 7505),
 * throw-away mailboxes, mailboxes of a role. No mail server is probed: grey-listing and catch-alls make such answers lies.
 * @returns null when nothing speaks against it
 */
export async function badMail(address: string, checks: MailChecks): Promise<BadMail | null> {
  const mail = normalMail(address);
  if (mail === null) return 'syntax';
  const domain = mail.slice(mail.lastIndexOf('@') + 1);
  if ((await checks.domain(domain)) === 'takes_none') return 'domain';
  if (await checks.isDisposable(domain)) return 'disposable';
  return isRoleMail(mailIdentity(mail) ?? mail) ? 'role' : null;
}

/** The status of an address of which this is known. Catalog `Lead.emailStatus`. */
export const STATUS_OF_BAD: Readonly<Record<BadMail, 'invalid' | 'risky'>> = {
  syntax: 'invalid',
  domain: 'invalid',
  disposable: 'invalid',
  role: 'risky',
};
