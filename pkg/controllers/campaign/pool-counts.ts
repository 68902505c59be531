import { objectRef } from '../../api/object.ts';
import type { CampaignStatus } from '../../api/specs.ts';
import { keyOf } from '../../kube/types.ts';
import type { OperatorContext } from '../context.ts';

interface Row {
  id: string;
  leads: number;
}

/**
 * Campaigns whose status counts another number of leads than their pool has. Nothing else brings them to their controller:
 * leads are imported and scored while no executor works and no resource changes.
 * @returns keys
 */
export async function poolsMoved({
  db,
  campaigns,
  homeNamespace,
}: Pick<OperatorContext, 'db' | 'campaigns' | 'homeNamespace'>): Promise<string[]> {
  const rows = await db.tx({ kind: 'platform' }, (tx) =>
    tx.named<Row>(
      'operator_pools',
      `select p.campaign_id as id, p.leads
       from campaign_pool p
       join campaign c on c.id = p.campaign_id
       where c.deleted_at is null`,
    ),
  );
  return rows.flatMap(({ id, leads }) => {
    const key = keyOf({ metadata: objectRef(id, homeNamespace) });
    const { counts } = (campaigns.store.get(key)?.status ?? {}) as Partial<CampaignStatus>;
    return counts && counts.leadsInPool !== leads ? [key] : [];
  });
}
