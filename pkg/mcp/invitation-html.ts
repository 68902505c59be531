import { escapeHtml } from '../domain/system-mails/mail-text.ts';
import type { IngressAnswer } from './ingress-answer.ts';
import { peoplePage } from './people-page.ts';

const FORM =
  '<form method="post"><p><label>How you are called <input name="name" maxlength="120"></label></p><p><label>Your user key, if you have one <input name="key" type="password" autocomplete="off"></label></p><p><button type="submit">Accept</button></p></form>';

/** What the address of an invitation answers, for somebody who followed the link of the mail in a browser. */
export function invitationHtml({ status, body }: IngressAnswer): string {
  const said = (name: string): string => escapeHtml(String((body as Record<string, unknown>)[name] ?? ''));
  if (status === 401) return peoplePage('Your key is needed', `<p>${said('error')}</p>${FORM}`);
  if (status !== 200) return peoplePage('This invitation is not open', `<p>${said('error')}</p>`);
  const where = `the workspace <b>${said('workspaceName')}</b> as ${said('role')}`;
  if ('accept' in body) {
    const until = `It is for ${said('email')} and can be accepted until ${said('expiresAt')}.`;
    return peoplePage('You are invited', `<p>You are invited to ${where}. ${until}</p>${FORM}`);
  }
  const limit = 'limit' in body ? `<p>${said('limit')}</p>` : '';
  const key = 'key' in body ? `<p>Your user key, which is shown here only: <code>${said('key')}</code></p>` : '';
  return peoplePage('You are a member', `<p>You joined ${where}.</p>${limit}${key}`);
}
