# Counts the trees of an orchard.
module Orchard
  class Tree
    attr_reader :kind, :age

    def initialize(kind, age = 0)
      @kind, @age = kind, age
    end

    def bears? = age >= 4
  end

  def self.count(trees)
    trees.select(&:bears?).size
  end

  TEXT = <<~END
    There are #{count([])} trees.
  END
end
