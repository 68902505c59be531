-- Projections of Campaign and Workflow resources, and what lives beside them in Postgres only.
set local search_path = outrider, app, public;

create table outrider.campaign (
  id text primary key,
  workspace_id text not null references outrider.workspace (id),
  uid text not null,
  generation bigint not null default 0,
  resource_version text,
  title text not null,
  goal text not null default '',
  description text not null default '',
  state text not null default 'draft' check (state in ('draft', 'active', 'paused', 'completed', 'archived')),
  settings jsonb not null default '{}',
  reconcile jsonb not null default '{}',
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint
);
create index campaign_workspace on outrider.campaign (workspace_id, created_at desc, id);

create table outrider.persona (
  id uuid primary key,
  workspace_id text not null,
  campaign_id text not null references outrider.campaign (id),
  name text not null,
  description text not null default '',
  pain_points text[] not null default '{}',
  goals text[] not null default '{}',
  objections text[] not null default '{}',
  created_at bigint not null,
  updated_at bigint not null
);
create index persona_campaign on outrider.persona (workspace_id, campaign_id, id);

create table outrider.phase (
  id uuid primary key,
  workspace_id text not null,
  campaign_id text not null references outrider.campaign (id),
  name text not null,
  description text not null default '',
  objectives text[] not null default '{}',
  phase_type text not null,
  position int not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index phase_campaign on outrider.phase (workspace_id, campaign_id, position);

create table outrider.icp (
  id uuid primary key,
  workspace_id text not null,
  campaign_id text not null references outrider.campaign (id),
  titles text[] not null default '{}',
  industries text[] not null default '{}',
  seniorities text[] not null default '{}',
  company_sizes text[] not null default '{}',
  keywords text[] not null default '{}',
  scored_at bigint,
  scores_stale boolean not null default true,
  created_at bigint not null,
  deleted_at bigint
);
create index icp_campaign on outrider.icp (workspace_id, campaign_id, id);

-- A workflow's id is its lineage: send keys are bound to it and outlive the object.
create table outrider.workflow (
  id text primary key,
  workspace_id text not null references outrider.workspace (id),
  campaign_id text not null references outrider.campaign (id),
  uid text not null,
  generation bigint not null default 0,
  resource_version text,
  name text not null,
  enabled boolean not null default false,
  graph_version int not null default 0,
  node_count int not null default 0,
  network_account_ids text[] not null default '{}',
  provider_account_ids text[] not null default '{}',
  in_flight text not null default 'finish_on_old',
  graph_problem text,
  reconcile jsonb not null default '{}',
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint
);
create index workflow_workspace on outrider.workflow (workspace_id, campaign_id, created_at desc, id);

-- One row per graph version; runs in flight keep theirs. graph: {nodes: [{nodeId, nodeType, label, config}], edges: [...]}
create table outrider.workflow_graph (
  workspace_id text not null,
  workflow_id text not null references outrider.workflow (id),
  version int not null,
  graph jsonb not null,
  node_types_version text not null,
  created_at bigint not null,
  primary key (workflow_id, version)
);

-- A stop that overrides the spec until a tool or an annotation releases it (design: stopping always works).
create table outrider.hold (
  workspace_id text not null,
  kind text not null check (kind in ('workspace', 'campaign', 'workflow', 'run')),
  id text not null,
  reason text not null,
  held_by text not null,
  created_at bigint not null,
  primary key (kind, id)
);

-- Intent of a write to the Kubernetes API: makes a retry after a crash resume instead of creating a second object.
create table outrider.intent (
  workspace_id text not null,
  tool text not null,
  intent_key text not null,
  object_name text not null,
  state text not null default 'started' check (state in ('started', 'done')),
  result jsonb,
  input_hash text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, tool, intent_key)
);
