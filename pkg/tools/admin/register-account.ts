import { messageOf, UserError } from '../../base/errors.ts';
import { isNamedTimezone } from '../../domain/local-time.ts';
import type { Tx } from '../../postgres/database.ts';
import { keepRegistration, takeFromSandbox } from '../../store/accounts/network-accounts.ts';
import { invalidInput } from '../errors.ts';
import type { ToolContext } from '../tool-context.ts';

/** What is said of an account that is registered. */
export interface NewAccount {
  displayName?: string | undefined;
  /** The id that it has at the provider. */
  externalId?: string | undefined;
  tier?: string | undefined;
  /** An IANA name. */
  timezone?: string | undefined;
}

/**
 * Whose account it is: of the real network where one is configured. Where the sandbox is too, the network is asked whether it has it.
 * @throws UserError when that does not answer
 */
export async function providerOf(ctx: ToolContext, { externalId }: NewAccount): Promise<'sandbox' | 'unipile'> {
  const network = ctx.providers('unipile');
  if (!network) return 'sandbox';
  const sandbox = ctx.providers('sandbox') !== undefined;
  if (externalId === undefined) {
    if (sandbox) return 'sandbox';
    throw invalidInput('externalId', 'is required: the id that the network account has at the provider');
  }
  if (!sandbox) return 'unipile';
  try {
    const { status } = await network.getAccount({ externalId }, ctx.signal);
    return status === 'disconnected' ? 'sandbox' : 'unipile';
  } catch (error) {
    throw new UserError(
      `The provider does not say whether it has this account: ${messageOf(error)}. Nothing was registered; call svc_admin_link_account again in a minute.`,
      'ProviderAway',
    );
  }
}

/**
 * The same external id is the same account: registering again changes of its name, tier and timezone what is given.
 * @param registered the account that the same call registered a moment ago
 */
export async function registerAccount(
  ctx: ToolContext,
  tx: Tx,
  request: NewAccount,
  provider: 'sandbox' | 'unipile',
  registered?: string,
): Promise<string> {
  if (request.timezone !== undefined && !isNamedTimezone(request.timezone)) {
    throw invalidInput('timezone', 'must be an IANA name such as Europe/Berlin');
  }
  const id = registered ?? ctx.ids.name('acc');
  const externalId = request.externalId ?? id;
  if (!ctx.providers('sandbox')) await takeFromSandbox(tx, { provider, externalId });
  return keepRegistration(tx, {
    id,
    provider,
    externalId,
    displayName: request.displayName ?? null,
    tier: request.tier ?? null,
    timezone: request.timezone ?? null,
    // The id of an account at the real provider is no name of a profile.
    profileUrl: provider === 'sandbox' ? `https://www.linkedin.com/in/${encodeURIComponent(externalId)}` : '',
    now: ctx.clocks.product.now(),
  });
}
