package orchard;

/** One tree. */
public class Tree implements Comparable<Tree> {
    private final String kind;
    private final int age;

    public Tree(String kind, int age) {
        this.kind = kind;
        this.age = age;
    }

    @Override
    public int compareTo(Tree other) {
        return Integer.compare(age, other.age);
    }

    static class Pear extends Tree {
        Pear() { super("pear \" {", 3); }
    }
}
