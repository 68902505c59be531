import { useTool } from '../../api/resource.ts';
import { here } from '../../app/address.ts';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { WayBack } from '../../parts/way-back.tsx';
import { counted, plainWords } from '../../parts/words.ts';
import { CampaignFunnel } from './campaign-funnel.tsx';
import { StartPause, StateChip } from './campaign-state.tsx';
import { CampaignWorkflows } from './campaign-workflows.tsx';

/** One campaign: what goes on in it, what holds it up, and what is to be expected. */
export function CampaignPage({ campaignId }: { campaignId: string }) {
  const campaign = useTool('svc_get_campaign', { campaignId });
  return (
    <>
      <WayBack href={here.value('campaigns')} to="Campaigns" />
      <Loaded of={campaign} lines={4}>
        {({ campaign: shown }) => (
          <>
            <ScreenHead title={shown.title}>
              <StateChip state={shown.status} />
              <StartPause campaign={shown} onChanged={() => campaign.reload()} />
            </ScreenHead>
            {shown.goal === '' ? null : (
              <p class="lead-text">
                <bdi>{shown.goal}</bdi>
              </p>
            )}
            <p class="small soft">
              {[
                counted(shown.counts.workflows, 'workflow'),
                counted(shown.counts.leadsInPool, 'lead in its pool', 'leads in its pool'),
                counted(shown.counts.icps, 'ideal customer profile'),
                counted(shown.counts.leadLists, 'lead list'),
                `review: ${plainWords(shown.settings.reviewMode)}`,
              ].join(' · ')}
            </p>
            {shown.reconcile.message === null ? null : (
              <p class="banner banner-warn">
                <Icon name="warning" /> <span>{shown.reconcile.message}</span>
              </p>
            )}
            <CampaignWorkflows campaign={shown} />
            <CampaignFunnel campaignId={campaignId} />
          </>
        )}
      </Loaded>
    </>
  );
}
