import type { Output } from '../../api/call.ts';
import { useTool } from '../../api/resource.ts';
import { here } from '../../app/address.ts';
import { may, workspace } from '../../app/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { ToldText } from '../../parts/told-text.tsx';
import { plainWords, titleWords } from '../../parts/words.ts';

type Answer = Output<'svc_diagnose'>;
type Check = Answer['checks'][number];

/** Why nothing happens to a person, or what they wait for: the first that holds them up, what ends that, and all that was looked at. */
export function WhyItWaits({ leadId }: { leadId: string }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const asked = { workspaceId, target: 'lead' as const, targetId: leadId };
  const read = useTool('svc_diagnose', asked, { on: ['lead', 'run', 'review', 'send', 'account', 'message', 'reply'] });
  return (
    <Section
      title="Why they wait"
      deeds={
        <button type="button" class="button button-small button-quiet" onClick={() => read.reload()}>
          <Icon name="refresh" size={16} /> Look again
        </button>
      }
    >
      <Loaded of={read} lines={2}>
        {(answer) => <Found answer={answer} />}
      </Loaded>
    </Section>
  );
}

function Found({ answer: { firstBlocker, checks, reason } }: { answer: Answer }) {
  return (
    <>
      {firstBlocker === null ? (
        <p class="waits-for waits-good">
          <Icon name="check" /> <span>{reason === null ? 'Nothing holds them up.' : <ToldText text={reason} />}</span>
        </p>
      ) : (
        <div class="waits-for waits-bad">
          <Icon name="warning" />
          <div>
            <p>
              <strong>{titleWords(firstBlocker.check)}.</strong>{' '}
              <bdi>
                <ToldText text={firstBlocker.detail} />
              </bdi>
            </p>
            <Mend check={firstBlocker} />
          </div>
        </div>
      )}
      <details>
        <summary>All that was looked at ({checks.length})</summary>
        <ol class="reasons">
          {checks.map((check) => (
            <li key={`${check.check} ${check.detail}`} class="reason-line">
              <Icon name={check.ok ? 'check' : 'close'} size={16} />
              <span>
                <span class="unseen">{check.ok ? 'well: ' : 'holds it up: '}</span>
                <strong>{titleWords(check.check)}.</strong>{' '}
                <bdi>
                  <ToldText text={check.detail} />
                </bdi>
              </span>
            </li>
          ))}
        </ol>
      </details>
    </>
  );
}

/** Screens on which a tool's deed is done. */
const SCREENS: Readonly<Record<string, readonly [screen: string, scope: string, label: string]>> = {
  svc_list_review_items: ['review', 'workflows:read', 'To the review queue'],
  svc_get_review_item: ['review', 'workflows:read', 'To the review queue'],
  svc_approve_review_item: ['review', 'workflows:read', 'To the review queue'],
  svc_list_conversations: ['inbox', 'inbox:read', 'To the inbox'],
  svc_update_workflow_status: ['campaigns', 'campaigns:read', 'To the campaigns'],
  svc_update_campaign: ['campaigns', 'campaigns:read', 'To the campaigns'],
  svc_get_network_account_budgets: ['accounts', 'accounts:read', 'To the accounts'],
  svc_get_network_account_health: ['accounts', 'accounts:read', 'To the accounts'],
  svc_update_network_account_settings: ['accounts', 'accounts:read', 'To the accounts'],
  svc_get_credit_balance: ['settings', 'workspace:read', 'To the settings'],
};

/** What ends it: a screen where there is one, else the name of the tool. */
function Mend({ check: { nextTool } }: { check: Check }) {
  if (nextTool === null) return null;
  const [screen, scope, label] = SCREENS[nextTool] ?? [];
  if (screen !== undefined && may(scope)) return <a href={here.value(screen)}>{label}</a>;
  return (
    <p class="soft">
      To mend it: {plainWords(nextTool.replace(/^svc_/, ''))} (<code>{nextTool}</code>)
    </p>
  );
}
