/** One query of a panel and what its lines are called. */
export type Query = readonly [expr: string, legend: string];

/** A panel: what is asked, in which unit, and what a reader should make of it. */
export interface Panel {
  title: string;
  /** What it means and when to worry; shown behind the panel's (i). */
  description: string;
  /** A unit of Grafana: short, s, bytes, percentunit, reqps, ops. */
  unit: string;
  queries: readonly Query[];
  /** One number instead of lines. */
  stat?: boolean;
}

export interface Row {
  title: string;
  panels: readonly Panel[];
}

/** A variable that is filled from the label of a series. */
export interface Variable {
  name: string;
  label: string;
  query: string;
}

export interface Dashboard {
  /** Name of the file and end of the uid. */
  name: string;
  title: string;
  description: string;
  variables?: readonly Variable[];
  rows: readonly Row[];
}

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const WIDTH = 24;
const HEIGHT = 7;

/** The JSON that Grafana (10 and newer) imports; the same bytes for the same declaration. */
export function dashboardJson(dashboard: Dashboard): object {
  return {
    uid: `outrider-${dashboard.name}`,
    title: dashboard.title,
    description: dashboard.description,
    tags: ['outrider'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    timezone: 'browser',
    links: [{ type: 'dashboards', tags: ['outrider'], title: 'Outrider', asDropdown: true, includeVars: false }],
    templating: { list: [datasource(), ...(dashboard.variables ?? []).map(variable)] },
    panels: panelsOf(dashboard.rows),
  };
}

function datasource(): object {
  return { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', hide: 0 };
}

function variable({ name, label, query }: Variable): object {
  return { name, label, type: 'query', datasource: DATASOURCE, query, refresh: 2, sort: 1, hide: 0 };
}

function panelsOf(rows: readonly Row[]): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const row of rows) {
    panels.push({ id: panels.length + 1, type: 'row', title: row.title, gridPos: { x: 0, y: y++, w: WIDTH, h: 1 } });
    const perLine = Math.min(row.panels.length, 4);
    const w = WIDTH / perLine;
    row.panels.forEach((panel, index) => {
      const gridPos = { x: (index % perLine) * w, y: y + Math.floor(index / perLine) * HEIGHT, w, h: HEIGHT };
      panels.push(panelJson(panels.length + 1, panel, gridPos));
    });
    y += Math.ceil(row.panels.length / perLine) * HEIGHT;
  }
  return panels;
}

function panelJson(id: number, { title, description, unit, queries, stat }: Panel, gridPos: object): object {
  return {
    id,
    type: stat ? 'stat' : 'timeseries',
    title,
    description,
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: DATASOURCE,
      expr,
      legendFormat,
      ...(stat ? { instant: true } : {}),
    })),
  };
}
