import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import type { KubeClient } from '../../kube/client.ts';

/** Audience of the tokens that executor pods present; a token for the API server is worth nothing here. */
export const EXECUTOR_AUDIENCE = 'outrider-executor';

/** Keys are read anew at most this often when a token names an unknown one (real ms). */
const COOLDOWN_MS = 10_000;
const KEYS_TIMEOUT_MS = 5_000;

const bound = z.object({
  'kubernetes.io': z.object({
    namespace: z.string(),
    pod: z.object({ name: z.string(), uid: z.string() }),
    serviceaccount: z.object({ name: z.string() }),
  }),
});

const KEYS = {
  method: 'GET',
  verb: 'get',
  path: '/openid/v1/jwks',
  // The API server answers 406 to anything else.
  accept: 'application/jwk-set+json',
  timeoutMs: KEYS_TIMEOUT_MS,
} as const;

/** Which pod a token is bound to. */
export interface TokenPod {
  namespace: string;
  name: string;
  uid: string;
  serviceAccount: string;
}

/** Tells which pod a projected token belongs to; undefined: not valid for us. @throws when the keys can't be read */
export type VerifyPodToken = (token: string) => Promise<TokenPod | undefined>;

/**
 * Verifies by the keys that the API server publishes (`/openid/v1/jwks`): no TokenReview right is needed, and a claim
 * costs the API server nothing.
 */
export function podTokenVerifier(client: KubeClient): VerifyPodToken {
  const keys = createRemoteJWKSet(new URL('https://kubernetes.default.svc/openid/v1/jwks'), {
    cooldownDuration: COOLDOWN_MS,
    timeoutDuration: KEYS_TIMEOUT_MS,
    [customFetch]: async () => Response.json(await client.raw(KEYS)),
  });
  return async (token) => {
    const verified = await jwtVerify(token, keys, {
      audience: EXECUTOR_AUDIENCE,
      requiredClaims: ['exp', 'iss', 'sub'],
      algorithms: ['RS256', 'ES256', 'ES384', 'ES512'],
    }).catch((error: unknown) => {
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return undefined;
      throw error;
    });
    const leases = bound.safeParse(verified?.payload);
    if (!leases.success) return undefined;
    const { namespace, pod, serviceaccount } = leases.data['kubernetes.io'];
    return { namespace, name: pod.name, uid: pod.uid, serviceAccount: serviceaccount.name };
  };
}
