import { useSignal } from '@preact/signals';
import { call, type Input, type Output } from '../../api/call.ts';
import { type Resource, useTool } from '../../api/resource.ts';
import { readSession, workspace } from '../../app/session.ts';
import { FactList } from '../../parts/fact-list.tsx';
import { Check, Select, TextArea, TextField } from '../../parts/form.tsx';
import { FailureLine, Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { titleWords } from '../../parts/words.ts';
import { HoursFields } from './hours-fields.tsx';
import { isManager } from './role.ts';
import { changeOf, type Draft, draftOf } from './workspace-draft.ts';

type Answer = Output<'svc_get_workspace'>;

/** What the workspace is and how it works. */
export function WorkspaceTab() {
  const { workspaceId = '' } = workspace.value ?? {};
  const read = useTool('svc_get_workspace', { workspaceId });
  return (
    <Loaded of={read} lines={10}>
      {(answer) => (
        <div class="sections">
          <About answer={answer} />
          {/* Anew once it was saved: what somebody types is theirs until then. */}
          <Form key={JSON.stringify(answer.workspace.settings)} answer={answer} resource={read} />
        </div>
      )}
    </Loaded>
  );
}

function About({ answer: { workspace: of } }: { answer: Answer }) {
  return (
    <Section title="About this workspace">
      <FactList
        facts={[
          ['Owner', <bdi key="o">{of.ownerName}</bdi>],
          ['Plan', of.plan],
          ['State', of.status === 'suspended' ? 'Suspended: nothing is sent' : titleWords(of.reconcile.phase)],
          ['Message', of.reconcile.message],
          ['Since', <Time key="s" at={of.createdAt} />],
          ['Id', <code key="i">{of.workspaceId}</code>],
        ]}
      />
    </Section>
  );
}

const MODES = [
  { value: 'off', label: 'Nothing is reviewed' },
  { value: 'ai_only', label: 'What a model wrote' },
  { value: 'first_touch', label: 'The first message to a person' },
  { value: 'all', label: 'Every message' },
] as const satisfies readonly {
  value: NonNullable<Input<'svc_update_workspace'>['defaultReviewMode']>;
  label: string;
}[];

function Form({ answer, resource }: { answer: Answer; resource: Resource<Answer> }) {
  const before = draftOf(answer.workspace);
  const draft = useSignal<Draft>(before);
  const deed = useDeed();
  const { workspaceId } = answer.workspace;
  const change = changeOf(before, draft.value);
  const isChanged = Object.keys(change).length > 0;
  const locked = !isManager();
  const set =
    <N extends keyof Draft>(name: N) =>
    (value: Draft[N]): void => {
      draft.value = { ...draft.value, [name]: value };
    };
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    deed.run(async () => {
      await call('svc_update_workspace', { workspaceId, ...change });
      say('The settings were saved.', { tone: 'good' });
      resource.reload();
      if (change.name !== undefined) await readSession();
    });
  };
  const now = draft.value;
  return (
    <Section
      title="Settings"
      about={
        locked
          ? 'Owner and admins change them; you see how they are.'
          : 'They hold for all campaigns that set nothing else.'
      }
    >
      <form class="stack" onSubmit={save}>
        <fieldset class="form-grid" disabled={locked}>
          <TextField label="Name" value={now.name} required maxLength={120} onValue={set('name')} />
          <TextField
            label="Time zone"
            hint="Such as Europe/Berlin"
            value={now.timezone}
            required
            maxLength={60}
            list="zones"
            onValue={set('timezone')}
          />
          <TextField
            label="Website"
            type="url"
            placeholder="https://"
            value={now.website}
            maxLength={500}
            onValue={set('website')}
          />
          <Select
            label="Review, where a campaign says nothing"
            value={now.defaultReviewMode}
            options={MODES}
            onValue={set('defaultReviewMode')}
          />
          <TextField
            label="Days that deleted content is kept"
            hint="30 to 3650; empty: for good"
            type="number"
            min={30}
            max={3650}
            value={now.retentionDays}
            onValue={set('retentionDays')}
          />
          <div class="stack">
            <Check
              label="Posts need an approval"
              checked={now.contentApprovalRequired}
              disabled={locked}
              onChecked={set('contentApprovalRequired')}
            />
            <Check
              label="Exclusions count in all workspaces of the agency"
              checked={now.shareSuppressionWithAgency}
              disabled={locked}
              onChecked={set('shareSuppressionWithAgency')}
            />
          </div>
          <div class="wide">
            <TextArea
              label="Postal address of the sender"
              hint="Put at the end of mails"
              rows={3}
              maxLength={500}
              value={now.senderPostalAddress}
              onValue={set('senderPostalAddress')}
            />
          </div>
          <div class="wide">
            <HoursFields hours={now.businessHours} onHours={set('businessHours')} />
          </div>
        </fieldset>
        <Zones />
        <FailureLine failure={deed.failure} />
        {locked ? null : (
          <div class="form-foot">
            <button type="submit" class="button button-primary" disabled={deed.busy || !isChanged}>
              Save
            </button>
            {isChanged ? (
              <button
                type="button"
                class="button"
                onClick={() => {
                  draft.value = before;
                }}
              >
                Take it back
              </button>
            ) : null}
          </div>
        )}
      </form>
    </Section>
  );
}

/** Names of zones, as the browser knows them. */
function Zones() {
  return (
    <datalist id="zones">
      {Intl.supportedValuesOf('timeZone').map((zone) => (
        <option key={zone} value={zone} />
      ))}
    </datalist>
  );
}
