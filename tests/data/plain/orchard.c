/* Counts the trees of an orchard. */
#include <stddef.h>
#define OLD(age) ((age) >= \
                  4)

struct tree {
    const char *kind; /* apple, pear */
    unsigned age;
};

static int bears(const struct tree *tree)
{
    return OLD(tree->age) && tree->kind[0] != '{';
}

size_t count(const struct tree *trees, size_t length)
{
    size_t found = 0;
    for (size_t at = 0; at < length; at++)
        found += bears(trees + at);
    return found;
}
