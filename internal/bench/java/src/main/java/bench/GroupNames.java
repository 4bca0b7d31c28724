package bench;

import java.util.Locale;

/** Groups by number. */
final class GroupNames {
    private GroupNames() {}

    static String[] of(int n) {
        String[] names = new String[n];
        for (int i = 0; i < n; i++) {
            names[i] = String.format(Locale.ROOT, "group-%07d", i);
        }
        return names;
    }
}
