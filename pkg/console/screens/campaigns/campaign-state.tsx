import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/call.ts';
import { may } from '../../app/session.ts';
import { Ask } from '../../parts/ask.tsx';
import { Chip, type Tone } from '../../parts/chip.tsx';
import { Icon } from '../../parts/icon.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';

export type CampaignRow = Output<'svc_list_campaigns'>['campaigns'][number];
export type CampaignState = CampaignRow['status'];

const TONES: Readonly<Record<CampaignState, Tone>> = {
  draft: 'plain',
  active: 'good',
  paused: 'warn',
  completed: 'plain',
  archived: 'plain',
};

/** How a campaign stands, in a word. */
export function StateChip({ state }: { state: CampaignState }) {
  return <Chip tone={TONES[state]}>{state}</Chip>;
}

/** Starts a campaign that does not run, and pauses one that does; nothing else may follow from a button. */
export function StartPause({
  campaign,
  onChanged,
}: {
  campaign: Pick<CampaignRow, 'campaignId' | 'title' | 'status'>;
  onChanged: () => void;
}) {
  const [asks, setAsks] = useState(false);
  const deed = useDeed();
  const { campaignId, title, status } = campaign;
  if (status === 'archived' || !may('campaigns:write')) return null;
  const starts = status !== 'active';
  const change = (): void =>
    deed.run(async () => {
      await call('svc_update_campaign', { campaignId, status: starts ? 'active' : 'paused' });
      setAsks(false);
      say(starts ? `${title} runs.` : `${title} is paused: nothing more leaves, and everybody keeps their place.`, {
        tone: 'good',
      });
      onChanged();
    });
  return (
    <>
      <button type="button" class={starts ? 'button button-primary' : 'button'} onClick={() => setAsks(true)}>
        <Icon name={starts ? 'play' : 'pause'} /> {starts ? 'Start' : 'Pause'}
        <span class="unseen"> {title}</span>
      </button>
      {asks ? (
        <Ask
          title={starts ? 'Start this campaign?' : 'Pause this campaign?'}
          verb={starts ? 'Start' : 'Pause'}
          deed={deed}
          onYes={change}
          onClose={() => {
            deed.clear();
            setAsks(false);
          }}
        >
          <p class="quoted">
            <bdi>{title}</bdi>
          </p>
          <p>
            {starts
              ? 'Its workflows that are switched on begin to write to people, within the budgets and hours of its accounts. Drafts that need a review wait for it.'
              : 'No new action leaves from now on. What was sent stays sent; leads keep their place and go on when it is started again.'}
          </p>
        </Ask>
      ) : null}
    </>
  );
}
