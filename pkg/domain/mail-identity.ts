import { normalMail } from './person-identity.ts';

/** Mailboxes that belong to a function; who reads them today says nothing of who read them when the row was written. `make generate` writes app.is_role_mail from them. */
export const ROLE_MAILBOXES: ReadonlySet<string> = new Set(
  `info office sales contact kontakt hello hallo support admin marketing hr jobs team service mail post webmaster press presse billing
   accounting buchhaltung invoice career careers help noreply no-reply vertrieb einkauf empfang reception welcome news newsletter`.split(
    /\s+/,
  ),
);

/**
 * The address that a person is known by, in one form: without display name, tag (`+crm`) and, where the provider
 * ignores them, dots. Null when the text is no address.
 */
export function mailIdentity(text: string): string | null {
  const address = normalMail(bareMail(text));
  if (address === null) return null;
  const at = address.lastIndexOf('@');
  const host = address.slice(at + 1).replace(/^googlemail\.com$/, 'gmail.com');
  const name = address.slice(0, at).replace(/(?<=.)\+.*$/, '');
  return `${host === 'gmail.com' ? name.replaceAll('.', '') : name}@${host}`;
}

/** Whether an address (output of mailIdentity) is a shared mailbox such as `info@`. */
export function isRoleMail(address: string): boolean {
  return ROLE_MAILBOXES.has(address.slice(0, address.lastIndexOf('@')));
}

/** The address in what people paste for one: without display name, `mailto:` and the dot of a sentence. */
export function bareMail(text: string): string {
  return (/<([^<>]+)>\s*$/.exec(text)?.[1] ?? text)
    .trim()
    .replace(/^mailto:/i, '')
    .replace(/\.$/, '');
}
