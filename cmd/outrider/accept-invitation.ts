import { UserError } from '../../pkg/base/errors.ts';

/**
 * Accepts an invitation at its address. A user key in OUTRIDER_KEY proves who is known already.
 * @returns workspace, role, and for a new user their key
 * @throws UserError with the server's own words
 */
export async function acceptInvitation(inviteUrl: string, name: string): Promise<object> {
  if (!URL.canParse(inviteUrl)) throw new UserError('The invitation must be a whole address (http…/invitations/…).');
  const key = process.env['OUTRIDER_KEY'];
  const response = await fetch(inviteUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ name }),
    signal: AbortSignal.timeout(10_000),
  });
  const answer = (await response.json()) as { error?: string };
  if (!response.ok) throw new UserError(answer.error ?? `The server answered ${response.status}.`);
  return answer;
}
