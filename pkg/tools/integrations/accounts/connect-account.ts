import { UserError } from '../../../base/errors.ts';
import { CallError } from '../../../providers/call-error.ts';
import { keepIntegration } from '../../../store/integrations/integrations.ts';
import { forgetGrant } from '../../../store/integrations/oauth-grants.ts';
import { invalidInput } from '../../errors.ts';
import { requireScope } from '../../require-scope.ts';
import type { Connections, ToolContext } from '../../tool-context.ts';
import { type ConnectRequest, refuseForAccounts } from '../connect-request.ts';
import type { Connected, OwnIntegration } from '../store-integration.ts';
import { connectCaldav } from './connect-caldav.ts';
import { connectGoogle } from './connect-google.ts';
import { connectMailboxOf } from './connect-smtp-imap.ts';
import { failedTest, type TriedAccount } from './tried-account.ts';

const TIMEOUT_MS = 30_000;
const WAYS = {
  caldav: connectCaldav,
  google: connectGoogle,
  smtp_imap: connectMailboxOf,
  gmail: byGoogleAlone,
} as const;

/** Whether a provider is one of accounts: a calendar, a mailbox. */
export function isAccountProvider(provider: string): provider is keyof typeof WAYS {
  return Object.hasOwn(WAYS, provider);
}

/**
 * Connects a calendar or a mailbox: its credentials are tried on the real server first, and nothing is stored that does not open it.
 * Connecting it again, by its address or its integrationId, keeps the id.
 * @throws UserError
 */
export async function connectAccount(
  ctx: ToolContext,
  connections: Connections,
  { request, found }: { request: ConnectRequest; found: OwnIntegration | undefined },
): Promise<Connected> {
  requireScope(ctx, 'ext_integrations:write', `connect ${request.provider}`);
  refuseForAccounts(request);
  const { workspaceId } = ctx;
  const tried = await tryAccount(ctx, connections, request);
  return ctx.repeatable<Connected>(workspaceId, {
    work: async (tx, earlier) => {
      if (found && tried.known !== undefined && found.id !== tried.known)
        throw invalidInput('integrationId', `is of another account; this one is integrationId "${tried.known}"`);
      const id =
        found?.id ?? tried.known ?? earlier?.integrationId ?? ctx.ids.name(tried.kind === 'mail' ? 'mailbox' : 'cal');
      await tried.store(tx, id);
      // The account has its credentials, and the integration none.
      const sealed = connections.sealer.seal('{}', `integration:${id}`);
      await keepIntegration(tx, {
        id,
        workspaceId,
        provider: request.provider,
        kind: tried.kind,
        name: request.name ?? (found ? null : tried.name),
        url: tried.url,
        sealed,
        twoWay: null,
        fieldMapping: null,
        now: ctx.clocks.product.now(),
      });
      // What a vendor granted before is not what it is connected by now.
      await forgetGrant(tx, id);
      return { integrationId: id, status: 'connected', authUrl: null, signingSecret: null, replayed: null };
    },
    did: () => true,
  });
}

/** Nobody has a token of Google's at hand; this installation asks for one where it has a client. */
function byGoogleAlone(): Promise<TriedAccount> {
  const text =
    'gmail is connected by Google’s own page alone: leave credentials out and open authUrl; this installation needs GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET for that. A mailbox with an app password is connected by smtp_imap. Call svc_list_integrations.';
  return Promise.reject(new UserError(text, 'Unsupported'));
}

async function tryAccount(ctx: ToolContext, connections: Connections, request: ConnectRequest): Promise<TriedAccount> {
  const way = isAccountProvider(request.provider) ? WAYS[request.provider] : undefined;
  if (!way) throw new Error(`${request.provider} is no provider of accounts`);
  try {
    return await way(ctx, connections, request, AbortSignal.any([ctx.signal, AbortSignal.timeout(TIMEOUT_MS)]));
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    throw failedTest(error.message);
  }
}
