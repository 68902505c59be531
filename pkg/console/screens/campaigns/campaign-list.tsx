import { usePages } from '../../api/pages.ts';
import { here } from '../../app/address.ts';
import { workspace } from '../../app/session.ts';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Time } from '../../parts/time.tsx';
import { StartPause, StateChip } from './campaign-state.tsx';

/** All campaigns of the workspace, the newest first. */
export function CampaignList() {
  const { workspaceId = '' } = workspace.value ?? {};
  const campaigns = usePages('svc_list_campaigns', { workspaceId, limit: 50 }, (answer) => answer.campaigns);
  return (
    <>
      <ScreenHead title="Campaigns" />
      <Loaded
        of={campaigns.resource}
        empty={{
          when: ({ items }) => items.length === 0,
          show: (
            <Empty icon="campaign" title="No campaign yet">
              <p>Ask your assistant to create one, or call svc_create_campaign.</p>
            </Empty>
          ),
        }}
      >
        {({ items }) => (
          <>
            <ul class="entries">
              {items.map((campaign) => (
                <li key={campaign.campaignId} class="entry">
                  <div class="entry-main">
                    <h2 class="entry-title">
                      <a href={here.value('campaigns', campaign.campaignId)}>
                        <bdi>{campaign.title}</bdi>
                      </a>
                    </h2>
                    {campaign.goal === '' ? null : (
                      <p class="entry-text">
                        <bdi>{campaign.goal}</bdi>
                      </p>
                    )}
                    <p class="small soft">
                      changed <Time at={campaign.updatedAt} />
                    </p>
                  </div>
                  <div class="entry-side">
                    <StateChip state={campaign.status} />
                    <StartPause campaign={campaign} onChanged={() => campaigns.resource.reload()} />
                  </div>
                </li>
              ))}
            </ul>
            <More of={campaigns} />
          </>
        )}
      </Loaded>
    </>
  );
}
