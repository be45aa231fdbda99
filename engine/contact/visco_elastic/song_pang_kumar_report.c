// What patches leave behind: impulses of a step, and the world's contacts after it.

#include "engine/contact/visco_elastic/song_pang_kumar_internal.h"

#include <string.h>

void gmc_song_pang_kumar_patch_mark(gmc_song_pang_kumar *m)
{
    for (int k = 0; k < m->patch_count; k++) {
        m->patches[k].normal_before = m->patches[k].normal;
        m->patches[k].friction_before = m->patches[k].friction;
    }
}

void gmc_song_pang_kumar_patch_add(gmc_song_pang_kumar *m, double dt)
{
    for (int k = 0; k < m->patch_count; k++) {
        gmc_patch *patch = &m->patches[k];
        if (!patch->is_closed) continue;
        gmc_vec3 friction = gmc_vec3_add(patch->friction_before, patch->friction);
        patch->normal_impulse += dt / 2 * (patch->normal_before + patch->normal);
        patch->friction_impulse = gmc_vec3_add_scaled(patch->friction_impulse, dt / 2, friction);
    }
}

/// Points of contacts that ended within the step and are beyond the reach by now.
static void add_points_passed(gmc_song_pang_kumar *m)
{
    gmc_contact_point *points = m->base->points;
    for (int k = 0; k < m->patch_count; k++) {
        const gmc_contact_point *point = &m->patches[k].point;
        int at = 0;
        if (!(m->patches[k].normal_impulse > 0)) continue;
        while (at < m->point_count && gmc_contact_compare(&points[at], point) < 0)
            at++;
        bool is_there = at < m->point_count && gmc_contact_compare(&points[at], point) == 0;
        if (is_there || m->point_count == m->patch_capacity) continue;
        memmove(points + at + 1, points + at, (size_t)(m->point_count++ - at) * sizeof *points);
        points[at] = *point;
    }
}

void gmc_song_pang_kumar_patch_report(gmc_song_pang_kumar *m)
{
    gmc_world *world = m->world;
    int k = 0;
    add_points_passed(m);
    m->is_placed = false;
    gmc_contact_set_match(&world->contacts, world->model, world->kin.X_wb, m->base->points,
                          m->point_count);
    for (int i = 0; i < world->contacts.count; i++) {
        gmc_contact *contact = &world->contacts.contacts[i];
        contact->impulse[0] = contact->impulse[1] = contact->impulse[2] = 0;
        contact->mode = GMC_CONTACT_OPEN;
        while (k < m->patch_count && gmc_contact_compare(&m->patches[k].point, &contact->point) < 0)
            k++;
        if (k >= m->patch_count || gmc_contact_compare(&m->patches[k].point, &contact->point) != 0)
            continue;
        const gmc_patch *patch = &m->patches[k];
        if (!(patch->normal_impulse > 0)) continue;
        contact->impulse[0] = patch->normal_impulse;
        for (int d = 1; d < 3; d++)
            contact->impulse[d] = gmc_vec3_dot(contact->dir[d], patch->friction_impulse);
        contact->mode = patch->is_closed && !patch->slips ? GMC_CONTACT_STICK : GMC_CONTACT_SLIP;
    }
}
