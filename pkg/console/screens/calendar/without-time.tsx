import { usePages } from '../../api/pages.ts';
import { workspace } from '../../app/session.ts';
import { Chip } from '../../parts/chip.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';

/** Drafts and posts in review, which stand on no day yet. */
export function WithoutTime({ onOpen }: { onOpen: (contentPostId: string) => void }) {
  return (
    <section class="part" aria-labelledby="without-title">
      <h2 id="without-title">Without a day yet</h2>
      <Some state="review" onOpen={onOpen} />
      <Some state="draft" onOpen={onOpen} />
    </section>
  );
}

function Some({ state, onOpen }: { state: 'draft' | 'review'; onOpen: (contentPostId: string) => void }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const posts = usePages('svc_list_content_posts', { workspaceId, state, limit: 10 }, (answer) => answer.contentPosts, {
    on: ['content'],
  });
  return (
    <Loaded
      of={posts.resource}
      lines={2}
      empty={{
        when: ({ items }) => items.length === 0,
        show: <p class="hint">{state === 'draft' ? 'No drafts.' : 'Nothing waits for an approval.'}</p>,
      }}
    >
      {({ items }) => (
        <>
          <ul class="entries">
            {items.map(({ contentPostId, text, approved }) => (
              <li key={contentPostId} class="entry">
                <button type="button" class="entry-button" onClick={() => onOpen(contentPostId)}>
                  <bdi>{text || 'without a text'}</bdi>
                </button>
                <Chip tone={state === 'review' ? 'warn' : approved ? 'good' : 'plain'}>
                  {state === 'review' ? 'in review' : approved ? 'approved draft' : 'draft'}
                </Chip>
              </li>
            ))}
          </ul>
          <More of={posts} />
        </>
      )}
    </Loaded>
  );
}
