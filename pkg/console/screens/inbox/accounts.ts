import { call } from '../../api/call.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { may } from '../../app/session.ts';
import type { Account } from './inbox-types.ts';

/** Accounts whose names are told. */
const MOST = 100;

/** The accounts whose inboxes are shown, as far as the member may know them. */
export function useAccounts(workspaceId: string): Resource<readonly Account[]> {
  return useResource(
    async (signal) => {
      const [network, mail] = await Promise.all([
        may('accounts:read') ? call('svc_list_network_accounts', { workspaceId, limit: MOST }, { signal }) : undefined,
        may('ext_integrations:read')
          ? call('svc_list_provider_accounts', { workspaceId, limit: MOST }, { signal })
          : undefined,
      ]);
      return [
        ...(network?.networkAccounts ?? []).map(
          ({ networkAccountId: id, displayName }): Account => ({ id, name: displayName || id, kind: 'network' }),
        ),
        ...(mail?.providerAccounts ?? [])
          .filter(({ capabilities }) => capabilities.includes('mail'))
          .map(({ providerAccountId: id, email }): Account => ({ id, name: email, kind: 'mail' })),
      ];
    },
    [workspaceId],
    { on: ['account'] },
  );
}
