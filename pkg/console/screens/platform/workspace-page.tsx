import { useSignal } from '@preact/signals';
import type { Output } from '../../api/call.ts';
import { type Resource, useTool } from '../../api/resource.ts';
import { platformPath } from '../../app/address.ts';
import { Chip } from '../../parts/chip.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import { WayBack } from '../../parts/way-back.tsx';
import { AdjustCredits, ChangeState, DeleteWorkspace } from './workspace-deeds.tsx';
import { lagWords, STATUS_TONES } from './workspace-words.ts';

type WorkspaceAnswer = Output<'svc_admin_get_workspace'>;

/** One workspace as the platform sees it. */
export function WorkspacePage({ workspaceId }: { workspaceId: string }) {
  const read = useTool('svc_admin_get_workspace', { workspaceId });
  return (
    <>
      <WayBack href={platformPath('workspaces')} to="Workspaces" />
      <Loaded of={read} lines={10}>
        {(answer) => <Page answer={answer} resource={read} />}
      </Loaded>
    </>
  );
}

const QUEUES: Readonly<Record<keyof WorkspaceAnswer['queues'], string>> = {
  runsLive: 'Leads under way',
  runsDue: 'Due now',
  reviewsPending: 'Drafts to review',
  sendsOpen: 'Sends under way',
  sendsUnknown: 'Sends of unknown outcome',
  callsOpen: 'Calls under way',
  jobsOpen: 'Background jobs',
  deadLetters: 'Dead letters',
};

function Page({ answer, resource }: { answer: WorkspaceAnswer; resource: Resource<WorkspaceAnswer> }) {
  const { workspace, reconcile, queues, limits, deletion } = answer;
  const open = useSignal<'credits' | 'state' | 'delete' | null>(null);
  const close = (): void => {
    open.value = null;
  };
  const done = (): void => {
    close();
    resource.reload();
  };
  const { workspaceId, name, status, plan, agencyId, ownerEmail, members, keys, balance, executor, createdAt } =
    workspace;
  const deleting = status === 'deleting';
  return (
    <>
      <ScreenHead title={name}>
        <Chip tone={STATUS_TONES[status]}>{status}</Chip>
        <button type="button" class="button" onClick={() => (open.value = 'credits')}>
          Credits …
        </button>
        {deleting ? null : (
          <button type="button" class="button" onClick={() => (open.value = 'state')}>
            {status === 'suspended' ? 'Restore …' : 'Suspend …'}
          </button>
        )}
        {deleting && deletion?.['erasedAt'] ? null : (
          <button type="button" class="button button-danger" onClick={() => (open.value = 'delete')}>
            {deleting ? 'Take the deletion back …' : 'Delete …'}
          </button>
        )}
      </ScreenHead>
      {deletion === null ? null : <Deletion deletion={deletion} />}
      <div class="sections">
        <Section title="What it is">
          <FactList
            facts={[
              ['Id', <code key="i">{workspaceId}</code>],
              ['Owner', <bdi key="o">{ownerEmail}</bdi>],
              ['Plan', plan],
              ['Agency', agencyId],
              ['Members', members.toLocaleString()],
              ['Keys', keys.toLocaleString()],
              ['Credits', balance.toLocaleString()],
              ['Executor', lagWords(executor)],
              ['Resource', reconcile.message ?? reconcile.phase],
              ['Since', <Time key="s" at={createdAt} />],
            ]}
          />
        </Section>
        <Section title="What waits there">
          <FactList
            facts={Object.entries(QUEUES).map(([queue, words]) => [
              words,
              queues[queue as keyof typeof queues].toLocaleString(),
            ])}
          />
          {queues.deadLetters > 0 ? (
            <p>
              <a href={platformPath('dead-letters', workspaceId)}>Look at its dead letters</a>
            </p>
          ) : null}
        </Section>
        <Section title="Limits of its own">
          {Object.keys(limits).length === 0 ? (
            <p class="soft">None: those of the platform hold.</p>
          ) : (
            <FactList
              facts={Object.entries(limits).map(([limit, value]) => [
                limit,
                <code key={limit}>{JSON.stringify(value)}</code>,
              ])}
            />
          )}
        </Section>
      </div>
      {open.value === 'credits' ? (
        <AdjustCredits workspaceId={workspaceId} balance={balance} onDone={done} onClose={close} />
      ) : null}
      {open.value === 'state' ? (
        <ChangeState
          workspaceId={workspaceId}
          name={name}
          suspended={status === 'suspended'}
          onDone={done}
          onClose={close}
        />
      ) : null}
      {open.value === 'delete' ? (
        <DeleteWorkspace workspaceId={workspaceId} name={name} cancel={deleting} onDone={done} onClose={close} />
      ) : null}
    </>
  );
}

function Deletion({ deletion }: { deletion: Record<string, unknown> }) {
  const { eraseAt, erasedAt, reason } = deletion;
  return (
    <p class="banner banner-bad">
      <Icon name="warning" />
      <span>
        {typeof erasedAt === 'string' ? (
          <>
            Erased <Time at={erasedAt} />.
          </>
        ) : (
          <>
            It is suspended and will be erased <Time at={String(eraseAt)} />.
          </>
        )}{' '}
        {typeof reason === 'string' ? <bdi>{reason}</bdi> : null}
      </span>
    </p>
  );
}
