// The links must form one tree. What breaks it is told by the joint that does; then links are put
// in an order in which parents come first, and the order of the file otherwise.
#include "engine/model/urdf_internal.h"

#include <stdlib.h>
#include <string.h>

// Every link hangs on one joint at most.
static void hang(gmc_urdf_reader *reader)
{
    gmc_urdf *urdf = reader->urdf;
    for (int i = 0; i < urdf->joint_count; i++) {
        const gmc_urdf_joint *joint = urdf->joints + i;
        if (joint->child < 0) continue;
        gmc_urdf_link *child = urdf->links + joint->child;
        if (joint->child == joint->parent)
            gmc_urdf_words_error(reader, joint->source, NULL,
                                 "joint `%s` joins link `%s` to itself", joint->name, child->name);
        else if (child->joint >= 0)
            gmc_urdf_words_error(reader, joint->source,
                                 "a link has one parent; closed loops are not supported",
                                 "link `%s` hangs on joint `%s` and on joint `%s` (line %d)",
                                 child->name, joint->name, urdf->joints[child->joint].name,
                                 urdf->joints[child->joint].source.line);
        else
            child->joint = i;
    }
}

static int find_root(gmc_urdf_reader *reader)
{
    const gmc_urdf *urdf = reader->urdf;
    int root = -1;
    for (int i = 0; i < urdf->link_count; i++) {
        const gmc_urdf_link *link = urdf->links + i;
        if (link->joint >= 0) continue;
        if (root < 0)
            root = i;
        else
            gmc_urdf_words_error(
                reader, link->source, "join them with a fixed joint",
                "link `%s` hangs on no joint, and neither does `%s` (line %d): a robot "
                "has one root",
                link->name, urdf->links[root].name, urdf->links[root].source.line);
    }
    if (root < 0)
        gmc_urdf_words_error(reader, urdf->joints[0].source, "remove one joint of the ring",
                             "every link hangs on another: the joints close a ring");
    return root;
}

// Depth first, children in the order of the joints in the file; returns how many links were
// reached.
static int walk(const gmc_urdf *urdf, int root, int *order, int *stack, bool *is_reached)
{
    int count = 0, top = 0;
    stack[top++] = root;
    while (top > 0) {
        int link = stack[--top];
        order[count++] = link;
        is_reached[link] = true;
        for (int i = urdf->joint_count - 1; i >= 0; i--)
            if (urdf->joints[i].parent == link && urdf->joints[i].child >= 0 &&
                urdf->links[urdf->joints[i].child].joint == i)
                stack[top++] = urdf->joints[i].child;
    }
    return count;
}

static void report_ring(gmc_urdf_reader *reader, const bool *is_reached)
{
    const gmc_urdf *urdf = reader->urdf;
    for (int i = 0; i < urdf->link_count; i++) {
        if (is_reached[i] || urdf->links[i].joint < 0) continue;
        const gmc_urdf_joint *joint = urdf->joints + urdf->links[i].joint;
        if (joint->parent < 0 || is_reached[joint->parent]) continue;
        // the first link met by going up from here twice as often as there are links is on the ring
        int at = i;
        for (int k = 0; k < 2 * urdf->link_count && at >= 0; k++)
            at = urdf->links[at].joint < 0 ? -1 : urdf->joints[urdf->links[at].joint].parent;
        if (at < 0) continue; // hangs below another root, reported
        joint = urdf->joints + urdf->links[at].joint;
        gmc_urdf_words_error(reader, joint->source, "remove one joint of the ring",
                             "joint `%s` closes a ring: link `%s` hangs on itself", joint->name,
                             urdf->links[at].name);
        return;
    }
}

static gmc_status reorder(gmc_urdf_reader *reader, const int *order)
{
    gmc_urdf *urdf = reader->urdf;
    size_t count = (size_t)urdf->link_count;
    gmc_urdf_link *links = malloc(count * sizeof *links);
    gmc_urdf_inertial *inertials = malloc(count * sizeof *inertials);
    int *place = malloc(count * sizeof *place);
    bool fits = links && inertials && place;
    if (fits) {
        for (int i = 0; i < urdf->link_count; i++) {
            links[i] = urdf->links[order[i]];
            inertials[i] = reader->inertials[order[i]];
            place[order[i]] = i;
        }
        memcpy(urdf->links, links, count * sizeof *links);
        memcpy(reader->inertials, inertials, count * sizeof *inertials);
        for (int i = 0; i < urdf->joint_count; i++) {
            urdf->joints[i].parent = place[urdf->joints[i].parent];
            urdf->joints[i].child = place[urdf->joints[i].child];
        }
    }
    free(links);
    free(inertials);
    free(place);
    return fits ? GMC_OK : GMC_E_MEMORY;
}

void gmc_urdf_tree_order(gmc_urdf_reader *reader)
{
    gmc_urdf *urdf = reader->urdf;
    if (urdf->link_count == 0) return;
    size_t count = (size_t)urdf->link_count;
    int *order = calloc(count, sizeof *order), *stack = calloc(count, sizeof *stack);
    bool *is_reached = calloc(count, sizeof *is_reached);
    if (order && stack && is_reached) {
        int errors_before = reader->report->error_count;
        bool has_ends = true;
        for (int i = 0; i < urdf->joint_count; i++)
            has_ends = has_ends && urdf->joints[i].parent >= 0 && urdf->joints[i].child >= 0;
        hang(reader);
        // a joint whose ends are not known has left a link without one: nothing sure can be said
        // then
        int root = has_ends ? find_root(reader) : -1;
        int reached = root >= 0 ? walk(urdf, root, order, stack, is_reached) : 0;
        if (root >= 0 && reached < urdf->link_count) report_ring(reader, is_reached);
        if (reached == urdf->link_count && reader->report->error_count == errors_before)
            reader->is_out_of_memory |= reorder(reader, order) != GMC_OK;
    } else {
        reader->is_out_of_memory = true;
    }
    free(order);
    free(stack);
    free(is_reached);
}
