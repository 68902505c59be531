import { choiceOf, SCOPE_DOMAINS, type ScopeChoice } from '../../domain/scope-domains.ts';
import { escapeHtml } from '../../domain/system-mails/mail-text.ts';
import type { ConsentForm } from './consent-form.ts';
import { PATHS } from './metadata.ts';
import { formTargetOf, placeOf } from './redirect-uris.ts';
import type { SignInPage } from './sign-in-page.ts';

/** Who is asked, and of which workspaces they are a member. */
export interface AskedPerson {
  name: string;
  email: string;
  workspaces: readonly { workspaceId: string; name: string; role: string }[];
}

/** What a person is shown before a client gets anything. */
export interface Asking {
  person: AskedPerson;
  form: ConsentForm;
  /** The form as its session signed it. */
  signed: string;
  /** Scopes that are chosen when it opens. */
  scopes: readonly string[];
  /** Workspaces that are chosen when it opens. */
  workspaces: readonly string[];
  /** What was wrong with the answer before; absent: nothing. */
  wrong?: string;
}

const WORDS: Readonly<Record<ScopeChoice, string>> = { none: 'None', read: 'Read', write: 'Read and write' };
const MANY = 8;

/** The page on which a person decides. Everything that the client says of itself is shown as its own claim. */
export function consentPage({ person, form, signed, scopes, workspaces, wrong }: Asking): SignInPage {
  const name = escapeHtml(form.clientName);
  const content = [
    `<p>You are signed in as <b>${escapeHtml(person.name || person.email)}</b> (${escapeHtml(person.email)}).</p>`,
    `<p>A client that calls itself <b>${name}</b> wants to use Outrider in your name. Nobody has checked that name.</p>`,
    `<p class="place">${placeText(form.redirectUri)} Go on only if you began this there yourself.</p>`,
    wrong === undefined ? '' : `<p class="wrong" role="alert">${escapeHtml(wrong)}</p>`,
    `<form method="post" action="${PATHS.authorize}"><input type="hidden" name="form" value="${escapeHtml(signed)}">`,
    workspacesOf(person, workspaces),
    domainsOf(scopes),
    REACH,
    '<p><button class="yes" name="answer" value="allow">Allow</button><button name="answer" value="deny">Deny</button></p></form>',
    '<p>It never may more than your role allows you at the moment of each call. You can end it at any time: it stands among your keys.</p>',
  ].join('');
  return {
    status: wrong === undefined ? 200 : 400,
    title: 'Allow a client?',
    content,
    formTarget: formTargetOf(form.redirectUri),
  };
}

const REACH =
  '<fieldset><legend>Reaching people and spending</legend><label><input type="checkbox" name="reach" value="yes"> It may also send, publish, approve, start what sends, connect, make keys and spend credits, in the domains above. Without this it only prepares, and you decide here.</label></fieldset>';

function placeText(redirectUri: string): string {
  const { kind, name } = placeOf(redirectUri);
  const shown = `<b>${escapeHtml(name)}</b>`;
  if (kind === 'site') return `Your answer goes to ${shown}, an unverified address.`;
  if (kind === 'app')
    return `Your answer opens the app of this device that takes ${shown} addresses; it is not verified.`;
  return `Your answer goes to a program on this machine (${shown}); it is not verified.`;
}

function workspacesOf({ workspaces }: AskedPerson, chosen: readonly string[]): string {
  const boxes = workspaces.map(({ workspaceId, name, role }) => {
    const checked = chosen.includes(workspaceId) ? ' checked' : '';
    const value = escapeHtml(workspaceId);
    return `<label><input type="checkbox" name="workspace" value="${value}"${checked}> ${escapeHtml(name)} (${value}, ${escapeHtml(role)})</label><br>`;
  });
  const many = workspaces.length > MANY ? ' class="many"' : '';
  return `<fieldset${many}><legend>Workspaces</legend>${boxes.join('')}</fieldset>`;
}

function domainsOf(scopes: readonly string[]): string {
  const rows = SCOPE_DOMAINS.map(({ name, label, choices }) => {
    const now = choiceOf(name, scopes);
    const radios = choices.map(
      (choice) =>
        `<label><input type="radio" name="scope:${name}" value="${choice}"${choice === now ? ' checked' : ''} aria-label="${label}: ${WORDS[choice]}"> ${WORDS[choice]}</label>`,
    );
    return `<tr><th scope="row">${label}</th><td>${radios.join('')}</td></tr>`;
  });
  return `<fieldset><legend>What it may</legend><table>${rows.join('')}</table></fieldset>`;
}
