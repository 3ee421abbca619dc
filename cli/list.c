/* SPDX-License-Identifier: Apache-2.0 */
#include "list.h"

#include "screen.h"

static size_t clamp_up(size_t from, size_t by)
{
    return from > by ? from - by : 0;
}

bool cps_list_key(struct cps_list *list, size_t count, int key)
{
    size_t last = count ? count - 1 : 0;
    size_t page = list->height > 1 ? list->height - 1 : 1;

    switch (key) {
    case CPS_KEY_UP:
    case 'k':
        list->cursor = clamp_up(list->cursor, 1);
        break;
    case CPS_KEY_DOWN:
    case 'j':
        list->cursor++;
        break;
    case CPS_KEY_PAGE_UP:
        list->cursor = clamp_up(list->cursor, page);
        break;
    case CPS_KEY_PAGE_DOWN:
    case ' ':
        list->cursor += page;
        break;
    case CPS_KEY_HOME:
        list->cursor = 0;
        break;
    case CPS_KEY_END:
    case 'G':
        list->cursor = last;
        break;
    default:
        return false;
    }
    if (list->cursor > last)
        list->cursor = last;
    return true;
}

size_t cps_list_fit(struct cps_list *list, size_t count, int top, int bottom)
{
    size_t height = bottom > top ? (size_t)(bottom - top) : 0;

    list->height = height;
    if (list->cursor >= count)
        list->cursor = count ? count - 1 : 0;
    if (list->cursor < list->top)
        list->top = list->cursor;
    if (height && list->cursor >= list->top + height)
        list->top = list->cursor - height + 1;
    if (list->top && list->top + height > count)
        list->top = count > height ? count - height : 0;
    return list->top + height < count ? list->top + height : count;
}

void cps_list_select(const struct cps_list *list, size_t count, struct cps_canvas *canvas, int top)
{
    if (list->cursor < count && list->height)
        cps_canvas_select(canvas, top + (int)(list->cursor - list->top));
}
