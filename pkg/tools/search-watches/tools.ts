import { createSearchWatch } from './create-search-watch.ts';
import { deleteSearchWatch } from './delete-search-watch.ts';
import { listSearchWatches } from './list-search-watches.ts';

export const searchWatchTools = [listSearchWatches, createSearchWatch, deleteSearchWatch];
