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
  sign_in: {
    /** Where the link leads. */
    host: string;
    /** For which it works. */
    minutes: number;
  };
  notifications: {
    workspaceName: string;
    /** In the order in which they came. */
    notices: MailedNotice[];
  };
}

/** A notification as a mail tells it. */
export type MailedNotice = {
  notificationId: string;
  /** Names no lead: it may be the subject, which is read on locked screens and by mail servers. */
  title: string;
  text: string;
};

export type SystemMailKind = keyof SystemMailParams;

/** A mail as people read it: the same in text and HTML, which loads nothing and counts nobody. */
export interface SystemMailText {
  subject: string;
  text: string;
  html: string;
}

/** Paragraphs of a mail; its one link, if it has one, stands between them. */
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
  sign_in: ({ host, minutes }) => ({
    subject: `Sign in to ${host}`,
    before: [`Somebody, probably you, wants to sign in to Outrider at ${host}.`, 'Open this address to sign in:'],
    after: [
      `It works once, for ${minutes} minutes. It signs its reader in as you: do not forward this mail.`,
      'You did not ask for it? Then do nothing: nobody is signed in without this address.',
    ],
  }),
  notifications: ({ workspaceName, notices }) => {
    const [only, ...more] = notices;
    const single = only !== undefined && more.length === 0;
    return {
      subject: single ? `${only.title} (${workspaceName})` : `${notices.length} notifications of ${workspaceName}`,
      before: notices.map(({ title, text }) => (text === '' ? title : `${title}: ${text}`)),
      after: [
        `You are a member of the workspace "${workspaceName}" of Outrider, and your notification preferences there say what is mailed.`,
      ],
    };
  },
};

/** The kinds that this program writes: those of a newer one are left for it. */
export const SYSTEM_MAIL_KINDS: readonly string[] = Object.keys(PARTS);

/** Whether this program knows the kind. */
export function isSystemMailKind(kind: string): kind is SystemMailKind {
  return Object.hasOwn(PARTS, kind);
}

/** Texts in lists are longer than names. */
const MAX_TEXT = 500;

/** Each text cleaned, also within lists. */
function cleaned(value: unknown, most?: number): unknown {
  if (Array.isArray(value)) return value.map((one) => cleaned(one, MAX_TEXT));
  if (value === null || typeof value !== 'object') return mailText(String(value), most);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cleaned(one, most)]));
}

/** Writes a mail without a link where it is ''. Names in it are what tenants chose: they are cut, cleaned and shown as text. */
export function renderSystemMail<K extends SystemMailKind>(
  kind: K,
  params: SystemMailParams[K],
  link: string,
): SystemMailText {
  const { subject, before, after } = PARTS[kind](cleaned(params) as SystemMailParams[K]);
  const paragraphs = (lines: readonly string[]): string => lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('');
  const anchor = link === '' ? '' : `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`;
  return {
    subject,
    text: `${[...before, ...(link === '' ? [] : [link]), ...after].join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><body>${paragraphs(before)}${anchor}${paragraphs(after)}</body></html>`,
  };
}
