import { useSignal } from '@preact/signals';
import { type Resource, useTool } from '../../api/resource.ts';
import { here } from '../../app/address.ts';
import { may, workspace } from '../../app/session.ts';
import { Avatar, Chip } from '../../parts/chip.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { WayBack } from '../../parts/way-back.tsx';
import { plainWords } from '../../parts/words.ts';
import { AddToList } from './add-to-list.tsx';
import { EditLead } from './edit-lead.tsx';
import { EraseLead } from './erase-lead.tsx';
import { LeadFacts } from './lead-facts.tsx';
import { nameOf } from './lead-names.ts';
import { LeadRuns } from './lead-runs.tsx';
import { LeadTags } from './lead-tags.tsx';
import { LeadTimeline } from './lead-timeline.tsx';
import type { Lead, LeadAnswer } from './lead-types.ts';
import { WhyItWaits } from './why-it-waits.tsx';

/** One person: what is known, what waits and why, and what happened. */
export function LeadPage({ leadId }: { leadId: string }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const lead = useTool(
    'svc_get_lead',
    { leadId, workspaceId },
    { on: ['lead', 'run', 'message', 'reply', 'connection', 'mail'] },
  );
  return (
    <>
      <WayBack href={here.value('leads')} to="Leads" />
      <Loaded of={lead} lines={12}>
        {(answer) => <Person answer={answer} resource={lead} />}
      </Loaded>
    </>
  );
}

function Person({ answer, resource }: { answer: LeadAnswer; resource: Resource<LeadAnswer> }) {
  const { lead } = answer;
  return (
    <>
      <Head lead={lead} resource={resource} />
      <div class="lead-columns">
        <div class="sections">
          {may('workspace:read') ? <WhyItWaits leadId={lead.leadId} /> : null}
          {may('workflows:read') ? <LeadRuns leadId={lead.leadId} zone={lead.timezone} /> : null}
          <LeadTimeline answer={answer} />
        </div>
        <div class="sections">
          <LeadFacts lead={lead} />
          <LeadTags lead={lead} resource={resource} />
        </div>
      </div>
    </>
  );
}

function Head({ lead, resource }: { lead: Lead; resource: Resource<LeadAnswer> }) {
  const name = nameOf(lead);
  const at = [lead.title, lead.company].filter(Boolean).join(' at ');
  return (
    <header class="person-head">
      <Avatar name={name} />
      <div class="grow">
        <h1>
          <bdi>{name}</bdi>
        </h1>
        {at === '' ? null : (
          <p class="soft">
            <bdi>{at}</bdi>
          </p>
        )}
        <Chips lead={lead} />
      </div>
      <Deeds lead={lead} resource={resource} />
    </header>
  );
}

function Chips({ lead }: { lead: Lead }) {
  const { visibility, suppression, score, contact } = lead;
  const excluded = suppression.sources.map(plainWords).join(', ');
  return (
    <p class="row person-chips">
      <Chip>{visibility === 'shared' ? 'of the shared pool' : 'yours alone'}</Chip>
      {suppression.suppressed ? <Chip tone="bad">excluded: {excluded}</Chip> : null}
      {score ? (
        <Chip tone="accent" title={`${score.campaignTitle}: ${score.icpName}`}>
          score {score.total}
        </Chip>
      ) : null}
      {contact.claimedBy === null ? null : (
        <Chip tone={isOurs(lead) ? 'plain' : 'warn'}>{isOurs(lead) ? 'under way here' : 'contacted elsewhere'}</Chip>
      )}
    </p>
  );
}

/** What can be done with a person, as far as the member may. */
function Deeds({ lead, resource }: { lead: Lead; resource: Resource<LeadAnswer> }) {
  const open = useSignal<'edit' | 'list' | 'erase' | null>(null);
  const close = (): void => {
    open.value = null;
  };
  const writes = may('leads:write');
  return (
    <div class="row">
      {may('lead_lists:write') ? (
        <button type="button" class="button" onClick={() => (open.value = 'list')}>
          <Icon name="plus" size={16} /> Add to a list
        </button>
      ) : null}
      {writes && lead.visibility === 'private' ? (
        <button type="button" class="button" onClick={() => (open.value = 'edit')}>
          <Icon name="edit" size={16} /> Edit
        </button>
      ) : null}
      {writes ? (
        <button type="button" class="button button-danger" onClick={() => (open.value = 'erase')}>
          Erase
        </button>
      ) : null}
      {open.value === 'edit' ? <EditLead lead={lead} onClose={close} onDone={() => resource.reload()} /> : null}
      {open.value === 'list' ? <AddToList lead={lead} onClose={close} /> : null}
      {open.value === 'erase' ? <EraseLead lead={lead} onClose={close} /> : null}
    </div>
  );
}

/** Whether it is this workspace that writes to them; which other one does is told to nobody. */
function isOurs({ contact }: Lead): boolean {
  return contact.claimedBy === workspace.value?.workspaceId;
}
