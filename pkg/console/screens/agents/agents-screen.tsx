import { here } from '../../app/address.ts';
import type { ScreenProps } from '../../app/screen-props.ts';
import { may } from '../../app/session.ts';
import { NoPermission } from '../../parts/loaded.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { AgentList } from './agent-list.tsx';
import { AgentPage } from './agent-page.tsx';
import { CompetitorList } from './competitor-list.tsx';
import { SearchList } from './search-list.tsx';
import '../outreach.css';
import './agents.css';

const PARTS = [
  { rest: '', title: 'Signal agents', scope: 'signals:read' },
  { rest: 'competitors', title: 'Competitors', scope: 'competitors:read' },
  { rest: 'searches', title: 'Topics and searches', scope: 'competitors:read' },
] as const;

/** What looks out by itself: `agents`, `agents/competitors`, `agents/searches`, and one agent: `agents/of/<id>`. */
export default function AgentsScreen({ rest }: ScreenProps) {
  const [part = '', id = ''] = rest.split('/');
  if (part === 'of' && id !== '') return <AgentPage key={id} signalAgentId={id} />;
  const shown = PARTS.find((one) => one.rest === part) ?? PARTS[0];
  return (
    <>
      <ScreenHead title="Agents and watches" />
      <nav class="tabs" aria-label="Kinds of watches">
        {PARTS.map((one) => (
          <a
            key={one.rest}
            class="tab"
            href={here.value('agents', one.rest)}
            aria-current={one === shown ? 'page' : undefined}
          >
            {one.title}
          </a>
        ))}
      </nav>
      {may(shown.scope) ? <Part rest={shown.rest} /> : <NoPermission text={`You need the right "${shown.scope}".`} />}
    </>
  );
}

function Part({ rest }: { rest: (typeof PARTS)[number]['rest'] }) {
  if (rest === 'competitors') return <CompetitorList />;
  if (rest === 'searches') return <SearchList />;
  return <AgentList />;
}
