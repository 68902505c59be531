import { z } from 'zod';
import type { SignInClient } from '../../store/sign-in/clients.ts';
import { OAuthError } from './oauth-error.ts';
import { placeOf, redirectProblem } from './redirect-uris.ts';

const MOST_REDIRECTS = 10;
const LONGEST_NAME = 80;

/** What a client says of itself; what is not known is ignored. Source: RFC 7591, 2. */
const metadataSchema = z.object({
  redirect_uris: z.array(z.string()).min(1).max(MOST_REDIRECTS),
  client_name: z.string().max(1_000).optional(),
  grant_types: z.array(z.string().max(100)).max(20).optional(),
  response_types: z.array(z.string().max(100)).max(20).optional(),
});

/** What a client says of itself, judged. @throws OAuthError that says what is wrong */
export function readMetadata(given: unknown): Omit<SignInClient, 'id'> {
  const parsed = metadataSchema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') ?? '';
    throw new OAuthError(
      where.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata',
      `${where === '' ? 'The body' : where}: ${issue?.message ?? 'is wrong'}. Send JSON with redirect_uris and client_name.`,
    );
  }
  const {
    redirect_uris: redirectUris,
    client_name: name = '',
    grant_types: grants,
    response_types: types,
  } = parsed.data;
  for (const [at, uri] of redirectUris.entries()) {
    const problem = redirectProblem(uri);
    if (problem !== undefined) throw new OAuthError('invalid_redirect_uri', `redirect_uris.${at}: ${problem}.`);
  }
  if (grants && !grants.includes('authorization_code'))
    throw new OAuthError('invalid_client_metadata', 'grant_types: must have authorization_code.');
  if (types && !types.includes('code'))
    throw new OAuthError('invalid_client_metadata', 'response_types: must have code.');
  return { name: shownName(name) || placeOf(redirectUris[0] ?? '').name, redirectUris: [...new Set(redirectUris)] };
}

/** A name as a page can show it: one line, without signs that are not seen or turn text round. */
export function shownName(name: string): string {
  const plain = name.normalize('NFKC').replace(/[\p{C}\p{Zl}\p{Zp}\p{Zs}\s]+/gu, ' ');
  // Marks that are stacked on one letter would cover the lines around it.
  return [...plain.replace(/(\p{M}{2})\p{M}+/gu, '$1').trim()].slice(0, LONGEST_NAME).join('').trim();
}
