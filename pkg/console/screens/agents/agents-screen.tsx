import { here } from '../../app/address.ts';
import type { ScreenProps } from '../../app/screen-props.ts';
import { may } from '../../app/session.ts';
import { NoPermission } from '../../parts/loaded.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { AgentList } from './agent-list.tsx';
import { AgentPage } from './agent-page.tsx';
import { CompetitorList } from './competitor-list.tsx';
import { SearchList } from './search-list.tsx';
import '../outreach.css';
import './agents.css';

const PARTS = [
  { path: '', title: 'Signal agents', scope: 'signals:read' },
  { path: 'competitors', title: 'Competitors', scope: 'competitors:read' },
  { path: 'searches', title: 'Topics and searches', scope: 'competitors:read' },
] as const;

/** What looks out by itself: `agents`, `agents/competitors`, `agents/searches`, and one agent: `agents/of/<id>`. */
export default function AgentsScreen({ rest }: ScreenProps) {
  const [part = '', id = ''] = rest.split('/');
  if (part === 'of' && id !== '') return <AgentPage key={id} signalAgentId={id} />;
  const shown = PARTS.find((one) => one.path === part) ?? PARTS[0];
  return (
    <>
      <ScreenHead title="Agents and watches" />
      <Tabs label="Kinds of watches" tabs={PARTS} active={shown.path} hrefOf={(path) => here.value('agents', path)} />
      {may(shown.scope) ? <Part path={shown.path} /> : <NoPermission text={`You need the right "${shown.scope}".`} />}
    </>
  );
}

function Part({ path }: { path: (typeof PARTS)[number]['path'] }) {
  if (path === 'competitors') return <CompetitorList />;
  if (path === 'searches') return <SearchList />;
  return <AgentList />;
}
