/** Lines of a robots.txt that are read. Source: RFC 9309 asks for 500 KiB at least; nobody needs so many lines for a front page. */
const MOST_LINES = 20_000;

interface Group {
  agents: string[];
  rules: { allow: boolean; path: string }[];
}

/**
 * Whether a robots.txt lets `agent` read a path: the longest rule that matches decides, and allow wins between two of a length. A group
 * that names the agent stands before that of everybody. Source: RFC 9309, 2.2.
 */
export function robotsAllow(robots: string, agent: string, path: string): boolean {
  const groups = groupsOf(robots);
  const own = groups.filter((group) => group.agents.includes(agent));
  const chosen = own.length > 0 ? own : groups.filter((group) => group.agents.includes('*'));
  const rules = chosen.flatMap((group) => group.rules).filter((rule) => matches(rule.path, path));
  const [best] = rules.sort((a, b) => b.path.length - a.path.length || Number(b.allow) - Number(a.allow));
  return best?.allow ?? true;
}

function groupsOf(robots: string): Group[] {
  const groups: Group[] = [];
  let open: Group | undefined;
  for (const line of robots.split(/\r\n|\r|\n/, MOST_LINES)) {
    const [, name = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key === 'user-agent') {
      if (!open || open.rules.length > 0) {
        open = { agents: [], rules: [] };
        groups.push(open);
      }
      open.agents.push(value.trim().toLowerCase());
    } else if ((key === 'allow' || key === 'disallow') && value.trim() !== '')
      open?.rules.push({ allow: key === 'allow', path: value.trim() });
  }
  return groups;
}

/** `*` stands for any letters, `$` at the end for the end. */
function matches(rule: string, path: string): boolean {
  const whole = rule.endsWith('$');
  const parts = (whole ? rule.slice(0, -1) : rule).split('*');
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const found = index === 0 ? (path.startsWith(part) ? 0 : -1) : path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return !whole || at === path.length || rule.endsWith('*$');
}
