import { escapeHtml, mailText } from './mail-text.ts';

/** What each kind of mail of the platform is made of; a new kind is a line here and its function below. */
export interface SystemMailParams {
  invitation: {
    workspaceName: string;
    /** Address of who invites, or the prefix of their key. */
    inviter: string;
    role: string;
    /** ISO 8601, UTC. */
    expiresAt: string;
  };
}
export type SystemMailKind = keyof SystemMailParams;

/** A mail as people read it: the same in text and HTML, which loads nothing and counts nobody. */
export interface SystemMailText {
  subject: string;
  text: string;
  html: string;
}

/** Paragraphs of a mail; its one link stands between them. */
interface Parts {
  subject: string;
  before: readonly string[];
  after: readonly string[];
}

const PARTS: { readonly [K in SystemMailKind]: (params: SystemMailParams[K]) => Parts } = {
  invitation: ({ workspaceName, inviter, role, expiresAt }) => ({
    subject: `Invitation to ${workspaceName}`,
    before: [
      `${inviter} invites you to the workspace "${workspaceName}" of Outrider as ${role}.`,
      'Open this address to see the invitation and to accept it:',
    ],
    after: [
      `It works once, until ${expiresAt}. It makes its reader a member in your name: do not forward this mail.`,
      'You know nobody there? Then do nothing: the invitation ends by itself.',
    ],
  }),
};

/** The kinds that this program writes: those of a newer one are left for it. */
export const SYSTEM_MAIL_KINDS: readonly string[] = Object.keys(PARTS);

/** Whether this program knows the kind. */
export function isSystemMailKind(kind: string): kind is SystemMailKind {
  return Object.hasOwn(PARTS, kind);
}

/** Writes a mail. Names in it are what tenants chose: they are cut, cleaned and shown as text. */
export function renderSystemMail<K extends SystemMailKind>(
  kind: K,
  params: SystemMailParams[K],
  link: string,
): SystemMailText {
  const cleaned = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, mailText(String(value))]));
  const { subject, before, after } = PARTS[kind](cleaned as SystemMailParams[K]);
  const paragraphs = (lines: readonly string[]): string => lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('');
  const anchor = `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`;
  return {
    subject,
    text: `${[...before, link, ...after].join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><body>${paragraphs(before)}${anchor}${paragraphs(after)}</body></html>`,
  };
}
