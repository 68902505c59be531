import type { BudgetAction } from '../../domain/actions.ts';
import { postIdOf } from '../../domain/post-address.ts';
import { type FoundPost, ProviderError } from '../../providers/network/network-provider.ts';
import { exportAccount } from '../../store/accounts/connection-exports.ts';
import { invalidInput, wrongState } from '../errors.ts';
import type { ToolContext } from '../tool-context.ts';
import { actingAccount } from './acting-account.ts';

/** A post that was found, and the account that found it. */
export interface PostFound {
  post: FoundPost & { authorPublicId: string };
  accountId: string;
}

/**
 * Looks a post up through the account that will act: the network has several ids for one post, and the answer names the one that
 * counts (reference of the provider).
 * @throws UserError when it is no post of a person, or the network does not show it
 */
export async function postOfAddress(
  ctx: ToolContext,
  request: { postUrl: string; networkAccountId?: string | undefined },
  action: BudgetAction,
): Promise<PostFound> {
  const account = await ctx.tx(async (tx) => {
    const now = ctx.clocks.product.now();
    const { networkAccountId } = request;
    const acting = await actingAccount(tx, { workspaceId: ctx.workspaceId, networkAccountId, budgets: [action], now });
    return exportAccount(tx, ctx.workspaceId, acting.account.id);
  });
  const id = postIdOf(request.postUrl);
  if (id === null) throw invalidInput('postUrl', 'is not the address of a post');
  const provider = account && ctx.providers(account.provider);
  if (!account || !provider?.readPost)
    throw wrongState('The provider of the account shows no posts here', 'svc_list_network_accounts');
  const post = await provider.readPost(account, id, ctx.signal).catch((error: unknown) => {
    if (!(error instanceof ProviderError)) throw error;
    throw wrongState(`The post could not be looked up: ${error.message}`, 'svc_get_network_account_health');
  });
  if (!post) throw invalidInput('postUrl', 'the network shows no such post to this account');
  const { authorPublicId } = post;
  if (authorPublicId === null)
    throw invalidInput('postUrl', 'is a post of a company page; only those of people can be taken');
  if (!(action === 'like' ? post.canReact : post.canComment))
    throw invalidInput('postUrl', `its author lets nobody ${action === 'like' ? 'react to' : 'comment on'} it`);
  return { post: { ...post, authorPublicId }, accountId: account.id };
}
