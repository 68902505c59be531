import './tabs.css';

export interface Tab {
  path: string;
  title: string;
}

/** Parts of a screen that have addresses of their own. @param active the path of the one that is looked at */
export function Tabs({
  label,
  tabs,
  active,
  hrefOf,
}: {
  label: string;
  tabs: readonly Tab[];
  active: string;
  hrefOf: (path: string) => string;
}) {
  return (
    <nav class="part-tabs" aria-label={label}>
      {tabs.map(({ path, title }) => (
        <a key={path} class="part-tab" href={hrefOf(path)} aria-current={path === active ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
