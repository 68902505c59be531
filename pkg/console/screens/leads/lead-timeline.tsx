import { useSignal } from '@preact/signals';
import { useResource } from '../../api/resource.ts';
import { may, workspace } from '../../app/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { Time } from '../../parts/time.tsx';
import type { LeadAnswer } from './lead-types.ts';
import { type Moment, readTimeline, withRecord } from './read-timeline.ts';

/** Moments that are shown at first, and by how many more each time. */
const SHOWN = 30;

/** What happened with a person, the newest first. */
export function LeadTimeline({ answer }: { answer: LeadAnswer }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const { lead, conversationIds } = answer;
  const { leadId } = lead;
  const timeline = useResource(
    (signal) => readTimeline({ workspaceId, leadId, conversationIds, may, signal }),
    [leadId, conversationIds.join()],
    { on: ['run', 'message', 'reply', 'connection', 'mail', 'signal', 'review'] },
  );
  const shown = useSignal(SHOWN);
  return (
    <Section title="What happened">
      <Loaded of={timeline} lines={8}>
        {({ moments: read, gaps }) => {
          // A note or a tag changes the record alone: the rest need not be read again for it.
          const moments = withRecord(read, answer);
          return (
            <>
              <ol class="timeline">
                {moments.slice(0, shown.value).map((moment) => (
                  <MomentLine key={moment.key} moment={moment} zone={lead.timezone} />
                ))}
              </ol>
              <ShowMore all={moments.length} shown={shown} step={SHOWN} />
              {gaps.map((gap) => (
                <p key={gap} class="hint">
                  {gap}
                </p>
              ))}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function MomentLine({ moment, zone }: { moment: Moment; zone: string | null }) {
  const { at, icon, title, text, by, theirs } = moment;
  return (
    <li class={theirs ? 'moment moment-theirs' : 'moment'}>
      <span class="moment-icon">
        <Icon name={icon} size={16} />
      </span>
      <div class="moment-body">
        <p class="moment-head">
          <strong>{title}</strong>
          {by === '' ? null : (
            <span class="soft">
              <bdi>{by}</bdi>
            </span>
          )}
          <span class="moment-at soft small">
            <Time at={at} zone={zone} />
          </span>
        </p>
        {text === '' ? null : (
          <p class="pre moment-text">
            <bdi>{text}</bdi>
          </p>
        )}
      </div>
    </li>
  );
}
